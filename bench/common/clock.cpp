// bench/common/clock.cpp: interleaved, calibrated sampling.
#include "common/clock.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace heddle::bench {
namespace {

double quantile(const std::vector<double>& sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double time_of(const Timed& form, long repetitions) {
  const double start = now_ns();
  form.repeat(repetitions);
  return now_ns() - start;
}

/// Returns the number of repetitions for a sample. The first call does not count: it may compile a
/// layout or touch new pages.
long calibrate(const Timed& form, double sample_ns) {
  form.repeat(1);
  for (long repetitions = 1;; repetitions *= 4) {
    const double taken = time_of(form, repetitions);
    if (taken >= sample_ns / 4) return std::max(1L, std::lround(sample_ns / taken * static_cast<double>(repetitions)));
  }
}

}  // namespace

double now_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {quantile(samples, 0.5), quantile(samples, 0.25),          quantile(samples, 0.75),
          samples.front(),        static_cast<int>(samples.size()), quantile(samples, 0.9)};
}

void measure(std::vector<Timed>& forms, const Effort& effort) {
  const std::size_t n = forms.size();
  std::vector<long> repetitions;
  repetitions.reserve(n);
  for (const Timed& form : forms) repetitions.push_back(calibrate(form, effort.sample_ns));
  std::vector<std::vector<double>> samples(n);
  double slowest = 0;
  for (int round = 0; round < effort.samples && (round < effort.at_least || slowest < effort.budget_ns); ++round) {
    double longest = 0;
    for (std::size_t turn = 0; turn < n; ++turn) {
      const std::size_t which = (turn + static_cast<std::size_t>(round)) % n;  // the first form changes from round to round
      if (repetitions[which] > 1) forms[which].repeat(1);                      // bring the caches into the state of steady use
      const double taken = time_of(forms[which], repetitions[which]);
      samples[which].push_back(taken / static_cast<double>(repetitions[which]));
      longest = std::max(longest, taken);
    }
    slowest += longest;
  }
  for (std::size_t i = 0; i < n; ++i) forms[i].spread = spread_of(std::move(samples[i]));
}

}  // namespace heddle::bench
