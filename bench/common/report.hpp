// bench/common/report.hpp: prints the JSON lines of programs of several ranks: a plan, then rows.
// Only rank 0 prints.
//
//   Report report{stage, "vector"};
//   report.plan(cases);                                     // the MPI library, the interposer, the core of each rank
//   report.measured(ways, Clock::arrival, Pace{}, {{"case", "k=64"}, {"metric", "latency"}, {"bytes", 32768}});
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/ways.hpp"

namespace heddle::bench {

using Json = nlohmann::ordered_json;

/// The form in which a measured time is printed.
struct Unit {
  double messages = 1;    ///< Microseconds of one message, if the time is that of so many.
  double rate_bytes = 0;  ///< If not 0: GB/s of so many bytes. The upper quartile is that of the quickest samples.
  std::vector<std::string> over = {"contiguous", "host"};  ///< Further rows have the ratios to the times of these ways.
};

class Report {
 public:
  /// Pins rank i to the i-th core that it may use (cyclically), and raises its priority over other
  /// processes.
  Report(Stage& stage, std::string bench);

  /// Prints the plan. Collective. `steps` is the number of "done" lines to come.
  void plan(long steps);
  /// Removes the ways that are wrong, and reports them. Collective.
  void check(std::vector<Way>& ways, const std::string& name);

  /// Measures (collective), and prints a row for each way. If ranks 0 and 1 ran on near cores and
  /// on far ones, there are two rows ("cores"). More rows (metric "... over contiguous", "... over
  /// host") have the ratio to the time of the ways "contiguous" and "host", or of those in `unit`.
  /// `row` has case, metric and bytes. The variant is the way's name.
  void measured(std::vector<Way>& ways, Clock clock, const Pace& pace, const Json& row, const Unit& unit = {});
  /// Prints a row that was measured by other means. Converts ns to us.
  void told(const Json& row, const std::string& variant, const Spread& ns) const { print(row, variant, "us", 1e-3, ns); }
  /// Prints a row with a plain number.
  void counted(const Json& row, const std::string& variant, const char* unit, double number) const {
    print(row, variant, unit, 1, {number, number, number, number, 1, number});
  }
  void done(const std::string& what) const;
  bool all_right() const { return wrong_ == 0; }

 private:
  void print(const Json& line) const;
  void print(const Json& row, const std::string& variant, const char* unit, double scale, const Spread& spread) const;
  void print(Json row, const std::vector<Way>& ways, const Unit& unit,
             const std::function<const Way::Seen&(const Way&)>& seen) const;

  Stage& stage_;
  std::string bench_;
  int core_;
  int wrong_ = 0;
};

/// True if there are more ranks than cores that this process may use.
bool crowded(int ranks);

/// Keeps the ways of these names. The way "interposed" gets the name of the library that answers
/// MPI_ calls ("heddle", "null"). Without such a library, that way is removed.
void choose(std::vector<Way>& ways, const std::vector<std::string>& wanted);

}  // namespace heddle::bench
