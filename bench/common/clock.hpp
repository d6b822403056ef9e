// bench/common/clock.hpp: measures times, with medians and quartiles.
//
//   std::vector<Timed> forms{{[&](long n) { while (n-- > 0) ours(); }}, {[&](long n) { while (n-- > 0) theirs(); }}};
//   measure(forms, Effort{});       // in each round, one sample of each form; the first form changes from round to round
//   forms[0].spread.median          // nanoseconds of a repetition
#pragma once

#include <functional>
#include <vector>

namespace heddle::bench {

/// Nanoseconds of processor time of this thread. On a busy machine, the time without a core does
/// not count.
double now_ns();

/// Nanoseconds of a repetition, over all samples.
struct Spread {
  double median = 0, lower = 0, upper = 0;  ///< Lower and upper: the quartiles.
  double best = 0;
  int samples = 0;
  double high = 0;  ///< The 90th percentile.
};
Spread spread_of(std::vector<double> samples);

/// How much time a measurement may take.
struct Effort {
  double sample_ns = 1e6;    ///< A sample repeats the call until it lasts about this long.
  int samples = 15;          ///< Samples of each form.
  int at_least = 5;          ///< Least samples of each form, even over the budget.
  double budget_ns = 1.5e9;  ///< Time of all samples of a form.
};

/// One way of doing the work: `repeat(n)` does it n times.
struct Timed {
  std::function<void(long)> repeat;
  Spread spread = {};
};

void measure(std::vector<Timed>& forms, const Effort& effort);

}  // namespace heddle::bench
