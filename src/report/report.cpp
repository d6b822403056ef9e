// report/report.cpp: collects rows. json.cpp makes JSON of them.
#include "report/report.hpp"

#include <algorithm>

#include "layout/shape.hpp"
#include "report/whole_file.hpp"

namespace heddle::report {

const Report::Met& Report::meet(const layout::Layout& layout) {
  Met& met = met_[{layout.node(), layout.root().offset, layout.extent(), layout.lower_bound()}];
  if (met.layout.text.empty()) {
    met = {layout.root().node, described(layout)};
    met.size = layout.size();
    met.blocks = static_cast<double>(layout::shape(layout, 1).blocks);
    met.more = static_cast<double>(layout::shape(layout, 2).blocks) - met.blocks;
  }
  return met;
}

void Report::add(const char* call, const layout::Layout& layout, const char* way, Bytes bytes, const Times& times,
                 const Caller& caller, const std::function<std::string()>& why) noexcept {
  const std::lock_guard guard(lock_);
  Row* row = &other_;
  double blocks = 0;
  std::string_view datatype = others;
  try {
    if (rows_.size() < most_rows) {
      const Met& met = meet(layout);
      row = &rows_[{call, met.layout.text, way, met.layout.hash, caller.site}];
      row->layout = &met.layout;
      blocks = met.blocks_of(bytes);
      datatype = met.layout.text;
      if (row->calls == 0 && why) row->why = why();
    }
  } catch (const std::exception&) {
    row = &other_;
  }
  ++row->calls;
  row->bytes += bytes;
  row->blocks += blocks;
  row->times += times;
  row->longest_search = std::max(row->longest_search, times.search);
  if (log_) log_->add_way(row->calls == 1, caller.site, call, bytes, datatype, way, row->why);
}

void Report::add_communicator(const char* call, std::string_view kept, int size, std::size_t members,
                              std::size_t whole) noexcept {
  const std::lock_guard guard(lock_);
  try {
    CommunicatorGroup group{.call = call, .kept = std::string(kept), .size = size, .members = members, .whole = whole};
    if (communicators_.size() >= most_rows && !communicators_.contains(group))
      group = {.call = "any", .kept = "any", .size = 0, .members = 0, .whole = 0};
    ++communicators_[std::move(group)];
  } catch (const std::exception&) {
    return;  // a gap in the report is no reason to end a program
  }
}

CallSite* Report::site(CallSite::Name name) noexcept try {
  const auto key_of = [](const CallSite::Name& of) {
    std::string key = of.procedure;
    for (const std::string& part :
         {of.place.module, std::to_string(of.place.offset), of.datatype, of.communicator, of.layout.hash})
      (key += '\0') += part;
    return key;
  };
  const std::lock_guard guard(lock_);
  if (const auto found = sites_.find(key_of(name)); found != sites_.end()) return found->second.get();
  if (sites_.size() >= most_rows) name = {.procedure = name.procedure, .place = {}, .datatype = {}, .communicator = {}};
  auto& site = sites_[key_of(name)];
  if (!site) site = std::make_unique<CallSite>(std::move(name));
  return site.get();
} catch (const std::exception&) {
  return nullptr;
}

Chosen* Report::add_algorithm(const Caller& caller, std::string_view algorithm) noexcept {
  const std::lock_guard guard(lock_);
  try {
    Chosen& chosen = algorithms_[{caller.site, std::string(algorithm)}];
    const bool first = chosen.calls.fetch_add(1, std::memory_order_relaxed) == 0;
    if (log_) log_->add_algorithm(first, caller.site, algorithm);
    return &chosen;
  } catch (const std::exception&) {
    return nullptr;  // as above
  }
}

void Report::add_late(const Late& late) {
  const std::lock_guard guard(lock_);
  LateTimes& times = late_[late.site];
  times.by_cause[static_cast<std::size_t>(late.cause)] += late.ns;
  times.by_rank[late.rank] += late.ns;
}

void Report::of_rank(int rank, int ranks) {
  rank_ = rank;
  if (ranks <= most_peers) sent_ = std::vector<std::atomic<std::int64_t>>(static_cast<std::size_t>(ranks));
}

void Report::end(double ns, double cpu_ns, bool on) noexcept {
  const std::lock_guard guard(lock_);
  elapsed_us_ = ns / 1000;
  cpu_us_ = cpu_ns / 1000;
  on_ = on;
}

std::string write(const std::string& path, const std::string& text) {
  WholeFile file(path);
  file.add(text);
  return file.end();
}

}  // namespace heddle::report
