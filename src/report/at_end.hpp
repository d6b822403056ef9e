// report/at_end.hpp: what each rank tells when the program ends, and the files that rank 0 makes of
// it. How texts come to rank 0 is for others to know. What cannot be told or written is said.
//
//   const Files files{.report = "%j.json", .trace = ""};             // HEDDLE_REPORT, HEDDLE_TRACE
//   Told mine = told(report, trace, began, files, me);               // each rank
//   Merging all(files, ranks);                                       // rank 0
//   all.add(0, std::move(mine));                                     // it first, then the others in their order
//   all.write([] { return about_run(...); });
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"
#include "report/trace.hpp"

namespace heddle::report {

/// Names of files, with %h, %p, %j and %r (file_name.hpp). Empty: such a file is not wanted.
struct Files {
  std::string_view report;
  std::string_view trace;
};

/// By one rank, as it travels.
struct Told {
  std::string report;  ///< Empty: there was no memory for it.
  std::string events;  ///< Of its timeline. Empty: likewise, or there is none, or the rank has written a file of its own.
};

/// A timeline whose name says the rank (%r) is written at once.
/// @param trace  Null: there is none. @param began  ns; its times are told from there on.
Told told(const Report& report, const Trace* trace, double began, const Files& files, int me) noexcept;

/// At rank 0.
class Merging {
 public:
  Merging(const Files& files, int ranks) noexcept;
  /// In the order of ranks: events are written as they come. If rank 0 has none, nobody has.
  void add(int rank, Told told) noexcept;
  /// @param about  What the run was (run.hpp): asked if a report is wanted.
  void write(std::string (*about)()) noexcept;

 private:
  const Files files_;
  std::vector<std::string> reports_;  // none, if there was no memory for them
  std::optional<TraceFile> timeline_;
};

}  // namespace heddle::report
