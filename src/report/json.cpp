// report/json.cpp: a report as JSON, of one rank and of all ranks. docs/report.md has the schema.
#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/build_id.hpp"
#include "report/python_line.hpp"
#include "report/report.hpp"
#include "report/run.hpp"
#include "report/sums.hpp"

namespace heddle::report {
namespace {

constexpr int version = 3;

constexpr std::pair<const char*, double Times::*> parts[] = {
    {"search_us", &Times::search}, {"pack_us", &Times::pack}, {"wait_us", &Times::wait}, {"copy_us", &Times::copy}};

/// The names of `Mailed`.
constexpr std::array mailed_names = {"blocking", "persistent", "retracted by sender", "retracted by reader"};

std::string dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string hexadecimal(std::uint64_t number) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  do text.insert(text.begin(), digits[number % 16]);
  while (number /= 16);
  return "0x" + text;
}

/// Adds the call site's name, place, datatype and communicator.
void name(Json& json, const CallSite* site) {
  if (!site) return;
  const CallSite::Name& named = site->name();
  json["procedure"] = named.procedure;
  json["module"] = named.place.module;
  if (const int line = line_of(named.place))
    json["line"] = std::to_string(line);  // a text, so that sums keep it
  else {
    json["offset"] = hexadecimal(named.place.offset);
    if (std::string build = build_id(named.place.module); !build.empty()) json["build_id"] = std::move(build);
  }
  json["symbol"] = named.place.symbol;
  if (*named.place.no_line) json["no_line"] = named.place.no_line;
  json["datatype_name"] = named.datatype;
  json["communicator"] = named.communicator;
  if (!named.layout.hash.empty()) json["site_hash"] = named.layout.hash;
}

/// Adds a layout. Rows with another extent or lower bound have another hash.
void bounds(Json& json, const Described& layout) {
  json["extent"] = layout.extent;
  json["lower_bound"] = layout.lower_bound;
}

void count(Json& json, const CallSite& site) {
  json["calls"] = site.calls();
  json["us"] = static_cast<double>(site.ns()) / 1000;
  json["bytes"] = site.bytes();
  json["carried"] = site.carried();
  Json passed = Json::object();
  for (std::size_t i = 0; i < passed_names.size(); ++i)
    if (site.passed(i) > 0) passed[passed_names[i]] = site.passed(i);
  json["passed"] = std::move(passed);
}

/// Adds the time that calls waited for late ranks, by the reason and by the rank.
void late(Json& json, const std::array<double, cause_names.size()>& by_cause, const std::map<int, double>& by_rank) {
  for (std::size_t i = 0; i < cause_names.size(); ++i)
    if (by_cause[i] > 0) json["waited_us"][cause_names[i]] = by_cause[i] / 1000;
  for (const auto& [rank, ns] : by_rank) json["waited_for"][std::to_string(rank)] = ns / 1000;
}

Json sizes(const CallSite& site) {
  Json sizes = Json::object();
  for (std::size_t i = 0; i < CallSite::sizes; ++i)
    if (site.of_size(i) > 0) sizes[std::to_string(i == 0 ? 0 : std::uint64_t{1} << (i - 1))] = site.of_size(i);
  return sizes;
}

/// Rows of one rank, in the form of a sum over ranks.
Json with_ranks(Json list) {
  for (Json& row : list) {
    row["ranks"] = 1;
    row["us_min"] = row["us_max"] = row["us"];
  }
  return list;
}

/// Replaces the bytes of each rank by the least, the median and the most.
Json spread(Json list) {
  for (Json& row : list) {
    if (!row.contains("bytes_by_rank")) continue;
    std::vector<std::int64_t> bytes;
    for (const Json& each : row["bytes_by_rank"])
      if (each.is_number_integer()) bytes.push_back(each.get<std::int64_t>());
    row.erase("bytes_by_rank");
    if (bytes.empty()) continue;
    std::ranges::sort(bytes);
    row["bytes_min"] = bytes.front();
    const std::size_t half = bytes.size() / 2;
    row["bytes_median"] = bytes.size() % 2 == 1 ? bytes[half] : bytes[half - 1] + (bytes[half] - bytes[half - 1]) / 2;
    row["bytes_max"] = bytes.back();
  }
  return list;
}

}  // namespace

std::string Report::to_json() const {
  const std::lock_guard guard(lock_);
  Json rows = Json::array();
  const auto put = [&rows](const Key& key, const Row& row) {
    Json json = {{"call", key.call}, {"datatype", key.datatype}, {"way", key.way},
                 {"ranks", 1},       {"calls", row.calls},       {"bytes", row.bytes}};
    if (row.layout) {
      json["hash"] = row.layout->hash;
      bounds(json, *row.layout);
    }
    json["blocks"] = std::llround(row.blocks);
    for (const auto& [what, part] : parts) {
      const double us = json[what] = row.times.*part / 1000;
      json[std::string(what) + "_min"] = us;
      json[std::string(what) + (part == &Times::search ? "_rank_max" : "_max")] = us;
    }
    json["search_us_max"] = row.longest_search / 1000;
    if (!row.why.empty()) json[remark] = row.why;
    name(json, key.site);
    rows.push_back(std::move(json));
  };
  for (const auto& [key, row] : rows_) put(key, row);
  if (other_.calls > 0) put({"any", others, "any", "", nullptr}, other_);
  Json communicators = Json::array();
  for (const auto& [kind, number] : communicators_)
    communicators.push_back({{"call", kind.call},
                             {"kept", kind.kept},
                             {"size", kind.size},
                             {"members_bytes", kind.members},
                             {"whole_bytes", kind.whole},
                             {"list_bytes", sizeof(std::int32_t) * static_cast<std::size_t>(kind.size)},
                             {"pointers_bytes", sizeof(void*) * static_cast<std::size_t>(kind.size)},
                             {"count", number}});
  Sums procedures{"name"};
  Json sites = Json::array();
  Json mine = {{"rank", rank_},
               {"host", this_host()},
               {"elapsed_us", elapsed_us_},
               {"cpu_us", cpu_us_},
               {"threads", threads_.load()},
               {"us", 0.0},
               {"calls", 0},
               {"bytes", 0}};
  for (const auto& [key, site] : sites_) {
    if (site->calls() == 0) continue;
    Json procedure = {{"name", site->name().procedure}};
    count(procedure, *site);
    for (const char* sum : {"us", "calls", "bytes"})
      mine[sum] = mine[sum].is_number_float() ? Json(mine[sum].get<double>() + procedure[sum].get<double>())
                                              : Json(mine[sum].get<std::int64_t>() + procedure[sum].get<std::int64_t>());
    procedures.add(procedure);
    Json json = Json::object();
    name(json, site.get());
    if (const Described& layout = site->name().layout; !layout.text.empty()) {
      json["datatype"] = layout.text;
      bounds(json, layout);
    }
    count(json, *site);
    json["sizes"] = sizes(*site);
    if (const auto found = late_.find(site.get()); found != late_.end())
      late(json, found->second.by_cause, found->second.by_rank);
    sites.push_back(std::move(json));
  }
  Json to = Json::object();
  for (std::size_t rank = 0; rank < sent_.size(); ++rank)
    if (const std::int64_t bytes = sent_[rank]; bytes > 0) to[std::to_string(rank)] = bytes;
  if (!sent_.empty()) mine["to"] = std::move(to);
  LateTimes all_late;
  for (const auto& [site, times] : late_) {
    for (std::size_t i = 0; i < times.by_cause.size(); ++i) all_late.by_cause[i] += times.by_cause[i];
    for (const auto& [rank, ns] : times.by_rank) all_late.by_rank[rank] += ns;
  }
  late(mine, all_late.by_cause, all_late.by_rank);
  if (unlogged_ > 0) mine["unlogged"] = unlogged_;
  Json algorithms = Json::array();
  for (const auto& [key, chosen] : algorithms_) {
    const std::int64_t bytes = chosen.bytes;
    Json json = {{"algorithm", key.second}, {"ranks", 1}, {"calls", chosen.calls.load()}, {"bytes", bytes}};
    json["bytes_by_rank"] = {{std::to_string(rank_), bytes}};
    name(json, key.first);
    algorithms.push_back(std::move(json));
  }
  Json mailed = Json::array();
  for (std::size_t i = 0; i < mailed_.size(); ++i)
    if (const std::int64_t blocks = mailed_[i].blocks; blocks > 0)
      mailed.push_back({{"name", mailed_names[i]}, {"ranks", 1}, {"blocks", blocks}, {"bytes", mailed_[i].bytes.load()}});
  return dump({{"heddle_report", version},
               {"ranks", 1},
               {"heddle", on_ ? "on" : "off"},
               {"elapsed_us", elapsed_us_},
               {"by_rank", {std::move(mine)}},
               {"rows", std::move(rows)},
               {"communicators", std::move(communicators)},
               {"procedures", with_ranks(procedures.take())},
               {"sites", with_ranks(std::move(sites))},
               {"algorithms", std::move(algorithms)},
               {"mailboxes", std::move(mailed)}});
}

std::string merge(std::span<const std::string> reports, const std::string& about) {
  std::pair<const char*, Sums> lists[] = {{"rows", {"call", "datatype", "way"}},
                                          {"procedures", {"name"}},
                                          {"sites", {"procedure"}},
                                          {"algorithms", {"algorithm"}},
                                          {"mailboxes", {"name"}}};
  std::map<std::string, std::pair<Json, std::int64_t>> kinds;  // key: all that is known of a communicator
  Json by_rank = Json::array();
  int ranks = 0;
  double elapsed_us = 0;         // of the slowest rank
  bool on = false, off = false;  // on at least one rank
  for (const std::string& text : reports) {
    const Json report = Json::parse(text, nullptr, false);
    if (!report.is_object() || !report.contains("rows") || !report["rows"].is_array()) continue;
    ++ranks;
    if (report.contains("elapsed_us") && report["elapsed_us"].is_number())
      elapsed_us = std::max(elapsed_us, report["elapsed_us"].get<double>());
    on |= report.contains("heddle") && report["heddle"] == "on";
    off |= report.contains("heddle") && report["heddle"] == "off";
    for (auto& [list, sums] : lists)
      for (const Json& each : report.value(list, Json::array())) sums.add(each);
    for (const Json& one : report.value("by_rank", Json::array()))
      if (one.is_object()) by_rank.push_back(one);
    for (const Json& one : report.value("communicators", Json::array())) {
      if (!one.is_object() || !one.contains("count") || !one["count"].is_number_integer()) continue;
      Json kind = one;
      kind.erase("count");
      auto& [kept, number] = kinds[kind.dump(-1, ' ', false, Json::error_handler_t::replace)];
      kept = std::move(kind);
      number += one["count"].get<std::int64_t>();
    }
  }
  Json communicators = Json::array();
  for (auto& [text, kind] : kinds) {
    kind.first["count"] = kind.second;
    communicators.push_back(std::move(kind.first));
  }
  Json all = {{"heddle_report", version}, {"run", Json::parse(about, nullptr, false)},
              {"ranks", ranks},           {"heddle", on || !off ? "on" : "off"},
              {"elapsed_us", elapsed_us}, {"by_rank", std::move(by_rank)}};
  if (!all["run"].is_object()) all.erase("run");
  for (auto& [list, sums] : lists) all[list] = spread(sums.take());
  all["communicators"] = std::move(communicators);
  return dump(all);
}

}  // namespace heddle::report
