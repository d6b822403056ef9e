// bench/common/report.hpp: the JSON lines that programs of several ranks print: a plan, then rows. Rank 0 speaks.
//
//   Report report{stage, "vector"};
//   report.plan(cases);                                     // MPI, who interposes, which rank is on which core
//   report.measured(ways, Clock::arrival, Pace{}, {{"case", "k=64"}, {"metric", "latency"}, {"bytes", 32768}});
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/ways.hpp"

namespace heddle::bench {

using Json = nlohmann::ordered_json;

/// The form in which a measured time is printed.
struct Unit {
  double messages = 1;    ///< Microseconds of one of so many,
  double rate_bytes = 0;  ///< or GB/s of so many bytes: the quickest quartile is the upper one.
};

class Report {
 public:
  /// Pins rank i to the i-th core that it may use (round and round), and asks for priority over other processes.
  Report(Stage& stage, std::string bench);

  /// Collective. `steps`: how many "done" lines will come.
  void plan(long steps);
  /// Takes out the ways that are wrong, and says so. Collective.
  void check(std::vector<Way>& ways, const std::string& name);

  /// Measures (collective), and prints a row a way, for near cores and for far ones ("cores") if both were seen. Then how many
  /// times the time of the ways "contiguous" and "host" each takes (metric "... over contiguous"). `row`: case, metric, bytes;
  /// the variant is the way's name.
  void measured(std::vector<Way>& ways, Clock clock, const Pace& pace, const Json& row, const Unit& unit = {});
  /// Prints a row that was measured otherwise, nanoseconds told as microseconds.
  void told(const Json& row, const std::string& variant, const Spread& ns) const { print(row, variant, "us", 1e-3, ns); }
  /// Prints a row of a plain number.
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

/// Whether there are more ranks than cores that this process may use.
bool crowded(int ranks);

/// Keeps the ways of these names. The way "interposed" gets the name of the library that answers MPI_ calls ("heddle", "null").
/// Without such a library it is left out.
void choose(std::vector<Way>& ways, const std::vector<std::string>& wanted);

}  // namespace heddle::bench
