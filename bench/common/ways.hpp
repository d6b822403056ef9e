// bench/common/ways.hpp: several ways of the same task between ranks, timed alternately in one run. Includes stage.hpp,
// clock.hpp.
//
//   std::vector<Way> ways{{"host", write, send_typed, check}, {"contiguous", write_flat, send_flat, check_flat}};
//   drop_wrong(stage, ways, report);               // nothing is timed before it is known to be right
//   measure(stage, ways, Clock::arrival, Pace{});
//   print(ways[0].ns.median);                      // on rank 0
//
// Every rank has the same list, each with its own part in it: rank 1 sends, rank 0 receives, keeps the times and prints.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "common/clock.hpp"
#include "common/stage.hpp"

namespace heddle::bench {

/// One way of doing it, as this rank sees it. All take the running number of the message; 0 is the one that is checked.
struct Way {
  std::string name;
  std::function<void(long)> prepare;  ///< Before the clock runs: the sender writes what it will send (live data).
  std::function<void(long)> act;      ///< What is timed.
  std::function<std::string()> verify = [] { return std::string{}; };  ///< After message 0: what is wrong, or nothing.
  double lead_ns = 400;  ///< The receiver's head start: time to be inside its receives when the sender begins.
  /// The measurements while the cores of ranks 0 and 1 were near each other, and while they were far.
  struct Seen {
    Spread ns = {};  ///< No samples: they never were.
    std::vector<double> by_round =
        {};  ///< The median of each round; not a number: disturbed throughout, or the other distance.
  };
  std::array<Seen, 2> seen = {};
  /// At the distance with more samples.
  [[nodiscard]] const Seen& mostly() const { return seen[seen[1].ns.samples > seen[0].ns.samples]; }
};

/// A cache line takes longer than this between cores that share no cache, and less between those that do. ns.
constexpr double far_ns = 80;

/// From when to when.
enum class Clock {
  arrival,   ///< From rank 1's start to rank 0's end: one way.
  sender,    ///< Rank 1's own time.
  everybody  ///< From the first start to the last end.
};

/// How much time a measurement may take.
struct Pace {
  int rounds = 60;         ///< Each way gets a burst a round ...
  int at_least = 5;        ///< ... for so many rounds at least,
  double budget_ns = 4e8;  ///< and more while all ways together have taken less than this.
  double burst_ns = 2e6;   ///< A burst lasts about this long,
  int burst = 10;          ///< and has no more messages than this. The first of each is not counted: caches change hands.
};

/// Does each way once, and removes ways for which a rank finds a fault. Each rank calls `report(name, what)` with its own
/// fault.
void drop_wrong(Stage& stage, std::vector<Way>& ways,
                const std::function<void(const std::string& name, const std::string& what)>& report);

/// Fills in `seen` on rank 0. Messages in which a rank lost its core to another process do not count, unless there are no
/// others. Messages between which the distance of the cores changed do not count either; virtual machines change it. Returns
/// the ns of a line, near and far; 0: not seen.
std::array<double, 2> measure(Stage& stage, std::vector<Way>& ways, Clock clock, const Pace& pace);

/// How many times the time of `base` a way takes, round by round: whatever slows the machine for a while slows both.
Spread ratio(const Way::Seen& way, const Way::Seen& base);

}  // namespace heddle::bench
