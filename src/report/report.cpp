// report/report.cpp: rows, and their JSON.
#include "report/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace heddle::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int version = 1;
constexpr std::size_t longest = 160;  // of a description: lists go on

constexpr std::pair<const char*, double Times::*> parts[] = {
    {"search_us", &Times::search}, {"pack_us", &Times::pack}, {"wait_us", &Times::wait}, {"copy_us", &Times::copy}};

/// As `Mailed` has them.
constexpr std::array mailed_names = {"blocking", "persistent", "retracted by sender", "retracted by reader"};

std::string dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

/// Cut where a character ends.
std::string shortened(std::string text) {
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

/// Adds the numbers of a row to those of another.
void add(Json& sum, const Json& row) {
  for (const auto& [name, value] : row.items())
    if (value.is_number_integer())
      sum[name] = sum.value(name, std::int64_t{0}) + value.get<std::int64_t>();
    else if (value.is_number())
      sum[name] = sum.value(name, 0.0) + value.get<double>();
}

}  // namespace

const std::string& Report::describe(const layout::Layout& layout) {
  Met& met = met_[layout.node()];
  if (met.description.empty()) met = {layout.root().node, shortened(layout::describe(layout))};
  return met.description;
}

void Report::add(const char* call, const layout::Layout& layout, const char* way, Bytes bytes, const Times& times) noexcept {
  const std::lock_guard guard(lock_);
  Row* row = &others_;
  try {
    if (rows_.size() < most_rows) row = &rows_[{call, describe(layout), way}];
  } catch (const std::exception&) {
    row = &others_;
  }
  ++row->calls;
  row->bytes += bytes;
  row->times += times;
}

void Report::add_communicator(const char* call, std::string_view kept, int size, std::size_t members,
                              std::size_t whole) noexcept {
  const std::lock_guard guard(lock_);
  try {
    Kind kind{.call = call, .kept = std::string(kept), .size = size, .members = members, .whole = whole};
    if (communicators_.size() >= most_rows && !communicators_.contains(kind))
      kind = {.call = "any", .kept = "any", .size = 0, .members = 0, .whole = 0};
    ++communicators_[std::move(kind)];
  } catch (const std::exception&) {
    return;  // one that is missing in the report is no reason to end a program
  }
}

void Report::add_procedure(const char* name, const Spent& spent) noexcept {
  const std::lock_guard guard(lock_);
  try {
    procedures_.push_back({name, spent.calls, static_cast<double>(spent.ns) / 1000});
  } catch (const std::exception&) {
    return;  // as above
  }
}

void Report::end(double ns, bool on) noexcept {
  const std::lock_guard guard(lock_);
  elapsed_us_ = ns / 1000;
  on_ = on;
}

std::string Report::to_json() const {
  const std::lock_guard guard(lock_);
  Json rows = Json::array();
  const auto put = [&rows](const Key& key, const Row& row) {
    Json json = {{"call", key.call}, {"datatype", key.datatype}, {"way", key.way},
                 {"ranks", 1},       {"calls", row.calls},       {"bytes", row.bytes}};
    for (const auto& [name, part] : parts) json[name] = row.times.*part / 1000;
    rows.push_back(std::move(json));
  };
  for (const auto& [key, row] : rows_) put(key, row);
  if (others_.calls > 0) put({"any", "other datatypes", "any"}, others_);
  Json communicators = Json::array();
  for (const auto& [kind, count] : communicators_)
    communicators.push_back({{"call", kind.call},
                             {"kept", kind.kept},
                             {"size", kind.size},
                             {"members_bytes", kind.members},
                             {"whole_bytes", kind.whole},
                             {"list_bytes", sizeof(std::int32_t) * static_cast<std::size_t>(kind.size)},
                             {"pointers_bytes", sizeof(void*) * static_cast<std::size_t>(kind.size)},
                             {"count", count}});
  Json procedures = Json::array();
  for (const Procedure& each : procedures_)
    procedures.push_back({{"name", each.name}, {"ranks", 1}, {"calls", each.calls}, {"us", each.us}});
  Json mailed = Json::array();
  for (std::size_t i = 0; i < mailed_.size(); ++i)
    if (const std::int64_t blocks = mailed_[i].blocks; blocks > 0)
      mailed.push_back({{"name", mailed_names[i]}, {"ranks", 1}, {"blocks", blocks}, {"bytes", mailed_[i].bytes.load()}});
  return dump({{"heddle_report", version},
               {"ranks", 1},
               {"heddle", on_ ? "on" : "off"},
               {"elapsed_us", elapsed_us_},
               {"rows", std::move(rows)},
               {"communicators", std::move(communicators)},
               {"procedures", std::move(procedures)},
               {"mailboxes", std::move(mailed)}});
}

std::string merge(std::span<const std::string> reports) {
  std::map<std::array<std::string, 3>, Json> sums;
  std::map<std::string, std::pair<Json, std::int64_t>> kinds;  // by all that is known of one communicator
  std::map<std::string, std::map<std::string, Json>> by_name = {{"procedures", {}}, {"mailboxes", {}}};
  int ranks = 0;
  double elapsed_us = 0;         // of the rank that took longest
  bool on = false, off = false;  // on some rank
  for (const std::string& text : reports) {
    const Json report = Json::parse(text, nullptr, false);
    if (!report.is_object() || !report.contains("rows") || !report["rows"].is_array()) continue;
    ++ranks;
    if (report.contains("elapsed_us") && report["elapsed_us"].is_number())
      elapsed_us = std::max(elapsed_us, report["elapsed_us"].get<double>());
    on |= report.contains("heddle") && report["heddle"] == "on";
    off |= report.contains("heddle") && report["heddle"] == "off";
    for (auto& [list, seen] : by_name)
      for (const Json& each : report.value(list, Json::array())) {
        if (!each.is_object() || !each.contains("name") || !each["name"].is_string()) continue;
        auto [at, first] = seen.try_emplace(each["name"].get<std::string>(), each);
        if (!first) add(at->second, each);
      }
    for (const Json& row : report["rows"]) {
      if (!row.is_object()) continue;
      std::array<std::string, 3> key;
      bool named = true;
      for (std::size_t i = 0; i < key.size(); ++i) {
        const Json word = row.value(std::array{"call", "datatype", "way"}[i], Json());
        named = named && word.is_string();
        if (word.is_string()) key[i] = word.get<std::string>();
      }
      if (!named) continue;
      auto [at, first] = sums.try_emplace(key, row);
      if (!first) add(at->second, row);
    }
    for (const Json& one : report.value("communicators", Json::array())) {
      if (!one.is_object() || !one.contains("count") || !one["count"].is_number_integer()) continue;
      Json kind = one;
      kind.erase("count");
      auto& [kept, count] = kinds[kind.dump(-1, ' ', false, Json::error_handler_t::replace)];
      kept = std::move(kind);
      count += one["count"].get<std::int64_t>();
    }
  }
  Json rows = Json::array();
  for (auto& [key, row] : sums) rows.push_back(std::move(row));
  Json communicators = Json::array();
  for (auto& [text, kind] : kinds) {
    kind.first["count"] = kind.second;
    communicators.push_back(std::move(kind.first));
  }
  const auto all = [&by_name](const char* what) {
    Json list = Json::array();
    for (auto& [name, each] : by_name[what]) list.push_back(std::move(each));
    return list;
  };
  return dump({{"heddle_report", version},
               {"ranks", ranks},
               {"heddle", on || !off ? "on" : "off"},
               {"elapsed_us", elapsed_us},
               {"rows", std::move(rows)},
               {"communicators", std::move(communicators)},
               {"procedures", all("procedures")},
               {"mailboxes", all("mailboxes")}});
}

std::string write(const std::string& path, const std::string& text) {
  const std::string aside = path + "." + std::to_string(getpid());
  errno = 0;
  std::ofstream file(aside);
  file << text;
  file.close();
  if (file && std::rename(aside.c_str(), path.c_str()) == 0) return {};
  const std::string why = std::strerror(errno);
  std::remove(aside.c_str());
  return "cannot write " + path + " (" + why + ")";
}

}  // namespace heddle::report
