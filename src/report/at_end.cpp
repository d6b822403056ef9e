// report/at_end.cpp: the texts of a rank, and the files that rank 0 joins from them.
#include "report/at_end.hpp"

#include <unistd.h>

#include <exception>
#include <utility>

#include "report/file_name.hpp"
#include "report/say.hpp"

namespace heddle::report {
namespace {

std::string path_of(std::string_view pattern, int me) {
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  return file_name(pattern, {host, getpid(), job_of(environ), me});
}

void tell_of_trace(const std::string& wrong) {
  if (!wrong.empty()) say((wrong + "; the trace is lost. HEDDLE_TRACE names another place.").c_str());
}

std::string text_of(const Report& report) noexcept try { return report.to_json(); } catch (const std::exception& error) {
  say_once_verbose("the report lacks a rank", error.what());
  return {};
}

std::string text_of(const Timeline& timeline, std::string_view pattern, int me) noexcept try {
  if (!timeline.trace) return {};
  std::string events = timeline.trace->to_json(me, timeline.began, timeline.arrows);
  if (pattern.find("%r") == std::string_view::npos) return events;
  TraceFile file(path_of(pattern, me));
  file.add(events);
  tell_of_trace(file.end());
  return {};
} catch (const std::exception& error) {
  say_once_verbose("the trace lacks a rank", error.what());
  return {};
}

}  // namespace

Told told(const Report& report, const Timeline& timeline, const Files& files, int me) noexcept {
  std::string text = text_of(report);
  return {.report = std::move(text), .events = text_of(timeline, files.trace, me)};
}

Merging::Merging(const Files& files, int ranks) noexcept : files_(files) {
  try {
    reports_.resize(static_cast<std::size_t>(ranks));
  } catch (const std::exception&) {
    reports_.clear();  // each rank's text must still be received
  }
}

void Merging::add(int rank, Told told) noexcept try {
  if (!reports_.empty()) reports_[static_cast<std::size_t>(rank)].swap(told.report);
  if (rank == 0 && !told.events.empty()) timeline_.emplace(path_of(files_.trace, 0));
  if (timeline_) timeline_->add(told.events);
} catch (const std::exception& error) {
  say_once_verbose("the trace lacks ranks", error.what());
}

void Merging::write(std::string (*about)()) noexcept try {
  if (timeline_) tell_of_trace(timeline_->end());
  const std::string path = path_of(files_.report, 0);
  if (path.empty()) return;
  if (const std::string wrong = report::write(path, merge(reports_, about())); !wrong.empty())
    say((wrong + "; the report is lost. HEDDLE_REPORT or heddle run --report=FILE names another place.").c_str());
} catch (const std::exception& error) {
  say_once_verbose("there is no report", error.what());
}

}  // namespace heddle::report
