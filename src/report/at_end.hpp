// report/at_end.hpp: the texts of each rank at the end of the program, and the files that rank 0
// makes of them. Callers bring the texts to rank 0. Failures are reported on stderr.
//
//   const Files files{.report = "%j.json", .trace = ""};             // HEDDLE_REPORT, HEDDLE_TRACE
//   Told mine = told(report, {&trace, began, arrows}, files, me);    // each rank
//   Merging all(files, ranks);                                       // rank 0
//   all.add(0, std::move(mine));                                     // rank 0 first, then the others in order
//   all.write([] { return about_run(...); });
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "report/trace.hpp"

namespace heddle::report {

/// Names of files, with %h, %p, %j and %r (file_name.hpp). Empty: no such file is wanted.
struct Files {
  std::string_view report;
  std::string_view trace;
};

/// The texts of one rank, as they travel.
struct Told {
  std::string report;  ///< Empty: memory was short.
  std::string events;  ///< Its timeline. Empty: memory was short, there is none, or the rank has written its own file.
};

/// The timeline of this rank.
struct Timeline {
  const Trace* trace = nullptr;  ///< Null: there is none.
  double began = 0;              ///< ns: its times count from here.
  std::span<const Arrow> arrows{};
};

/// The texts of this rank. If the timeline's file name has the rank (%r), this writes that file at
/// once.
Told told(const Report& report, const Timeline& timeline, const Files& files, int me) noexcept;

/// Merges the texts, at rank 0.
class Merging {
 public:
  Merging(const Files& files, int ranks) noexcept;
  /// Call it in the order of ranks: it writes events at once. If rank 0 has no events, no rank has.
  void add(int rank, Told told) noexcept;
  /// @param about  Describes the run (run.hpp). Called if a report is wanted.
  void write(std::string (*about)()) noexcept;

 private:
  const Files files_;
  std::vector<std::string> reports_;  // none if memory is short
  std::optional<TraceFile> timeline_;
};

}  // namespace heddle::report
