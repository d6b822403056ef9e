// report/trace.cpp: writes the Trace Event Format: complete events ("ph": "X"), a process for each
// rank, times in us.
#include "report/trace.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "report/python_line.hpp"

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

std::string line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

constexpr std::size_t longest_datatype = 100;  // bytes of a text

std::string_view without_folder(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

Json arguments(const Trace::Event& event) {
  const CallSite::Name& name = event.site->name();
  Json json = Json::object();
  if (!name.datatype.empty())
    json["datatype"] = name.datatype;
  else if (!name.layout.text.empty())
    json["datatype"] = shortened(name.layout.text, longest_datatype);
  if (!name.communicator.empty()) json["communicator"] = name.communicator;
  if (event.bytes >= 0) json["bytes"] = event.bytes;
  if (event.peer >= 0) json["to"] = event.peer;
  std::array<char, 32> offset{};
  if (const int number = line_of(name.place))
    std::snprintf(offset.data(), offset.size(), ":%d", number);
  else
    std::snprintf(offset.data(), offset.size(), "+0x%llx", static_cast<unsigned long long>(name.place.offset));
  json["from"] = std::string(without_folder(name.place.module)) + offset.data();
  if (!name.place.symbol.empty()) json["function"] = name.place.symbol;
  return json;
}

}  // namespace

std::string Trace::to_json(int rank, double began, std::span<const Arrow> arrows) const {
  const std::string title = "rank " + std::to_string(rank) + (missing() > 0 ? ", its first calls" : "");
  std::string text = line({{"name", "process_name"}, {"ph", "M"}, {"pid", rank}, {"tid", 0}, {"args", {{"name", title}}}});
  text +=
      ",\n" + line({{"name", "process_sort_index"}, {"ph", "M"}, {"pid", rank}, {"tid", 0}, {"args", {{"sort_index", rank}}}});
  const std::size_t count = std::min<std::size_t>(count_, most_);
  // After the run, `heddle run` looks up the lines of calls in these files.
  std::set<std::string_view> modules;
  for (std::size_t i = 0; i < count; ++i)
    if (const Place& place = events_[i].site->name().place; line_of(place) == 0) modules.insert(place.module);
  for (const std::string_view module : modules)
    text += ",\n" + line({{"name", "heddle_module"},
                          {"ph", "M"},
                          {"pid", rank},
                          {"tid", 0},
                          {"args", {{"file", without_folder(module)}, {"path", module}}}});
  for (std::size_t i = 0; i < count; ++i) {
    const Event& event = events_[i];
    text += ",\n" + line({{"name", event.site->name().procedure},
                          {"cat", "mpi"},
                          {"ph", "X"},
                          {"pid", rank},
                          {"tid", event.thread},
                          {"ts", (event.begin - began) / 1000},
                          {"dur", (event.end - event.begin) / 1000},
                          {"args", arguments(event)}});
  }
  const double shown = missing() > 0 && count > 0 ? events_[count - 1].begin : std::numeric_limits<double>::infinity();
  for (const Arrow& each : arrows) {
    if (each.at > shown) continue;
    // An arrow ends in the call that contains its time, so it ends a little before the call does.
    const double at = each.is_send ? each.at : each.at - 1;
    Json json = {{"name", "message"},
                 {"cat", "message"},
                 {"ph", each.is_send ? "s" : "f"},
                 {"id", std::to_string(each.from) + "." + std::to_string(each.number)},
                 {"pid", rank},
                 {"tid", each.thread},
                 {"ts", (at - began) / 1000}};
    if (!each.is_send) json["bp"] = "e";
    text += ",\n" + line(json);
  }
  if (missing() > 0)
    text += ",\n" + line({{"name", std::to_string(missing()) + " further calls are not shown"},
                          {"ph", "i"},
                          {"s", "p"},
                          {"pid", rank},
                          {"tid", 0},
                          {"ts", count > 0 ? (events_[count - 1].end - began) / 1000 : 0.0}});
  return text;
}

std::uint32_t thread_number() noexcept {
  static constinit std::atomic<std::uint32_t> next{0};
  thread_local const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

TraceFile::TraceFile(std::string path) : file_(std::move(path)) {
  file_.add("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
}

void TraceFile::add(const std::string& events) {
  if (events.empty()) return;
  if (!first_) file_.add(",\n");
  file_.add(events);
  first_ = false;
}

std::string TraceFile::end() {
  file_.add("\n]}\n");
  return file_.end();
}

}  // namespace heddle::report
