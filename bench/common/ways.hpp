// bench/common/ways.hpp: times several ways of the same task between ranks, alternately in one run.
//
//   std::vector<Way> ways{{"host", write, send_typed, check}, {"contiguous", write_flat, send_flat, check_flat}};
//   drop_wrong(stage, ways, report);               // only correct ways are timed
//   measure(stage, ways, Clock::arrival, Pace{});
//   print(ways[0].ns.median);                      // on rank 0
//
// All ranks have the same list of ways, with the functions of their own part. Rank 1 sends. Rank 0
// receives, keeps the times and prints.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/stage.hpp"

namespace heddle::bench {

/// This rank's part of a way. The functions take the running number of the message. Message 0 is
/// checked.
struct Way {
  std::string name;
  std::function<void(long)> prepare;  ///< Before the clock runs: the sender writes its data (live data).
  std::function<void(long)> act;      ///< The timed part.
  std::function<std::string()> verify = [] { return std::string{}; };  ///< After message 0: returns the fault, or nothing.
  double lead_ns = 400;  ///< The receiver's head start: it should be inside its receives when the sender begins.
  /// The measurements at one distance between the cores of ranks 0 and 1.
  struct Seen {
    Spread ns = {};  ///< No samples: the cores never had that distance.
    std::vector<double> by_round =
        {};  ///< The median of each round. NaN: all samples were disturbed, or had the other distance.
  };
  std::array<Seen, 2> seen = {};  ///< Near, far.
  /// The measurements at the distance with more samples.
  [[nodiscard]] const Seen& mostly() const { return seen[seen[1].ns.samples > seen[0].ns.samples]; }
};

/// The begin and the end of a measured time.
enum class Clock {
  arrival,   ///< From rank 1's start to rank 0's end: one way.
  sender,    ///< From rank 1's start to its end.
  everybody  ///< From the first start to the last end.
};

/// How much time a measurement may take.
struct Pace {
  int rounds = 60;         ///< Most rounds. Each way gets a burst in each round.
  int at_least = 5;        ///< Least rounds.
  double budget_ns = 4e8;  ///< After the least rounds, measuring ends when all ways together have taken this long.
  double burst_ns = 2e6;   ///< A burst lasts about this long.
  int burst = 10;          ///< Most messages of a burst. The first does not count: the caches hold another way's data.
};

/// Runs each way once, and removes the ways in which a rank finds a fault. A rank calls
/// `report(name, what)` with its fault.
void drop_wrong(Stage& stage, std::vector<Way>& ways,
                const std::function<void(const std::string& name, const std::string& what)>& report);

/// Fills in `seen` on rank 0. Messages in which a rank lost its core to another process do not
/// count, unless there are no others. Messages during which the distance of the cores changed do
/// not count either: virtual machines change it. Returns the ns of a cache line, near and far. 0:
/// the cores never had that distance.
std::array<double, 2> measure(Stage& stage, std::vector<Way>& ways, Clock clock, const Pace& pace);

/// The ratio of a way's time to that of `base`, round by round: a disturbance slows both.
Spread ratio(const Way::Seen& way, const Way::Seen& base);

}  // namespace heddle::bench
