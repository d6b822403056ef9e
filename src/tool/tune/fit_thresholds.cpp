// tool/tune/fit_thresholds.cpp: measures with each threshold twice: once so low that all sizes are
// beyond it, and once so high that no size is. So it measures the library's own choices, and needs
// no names of kernels.
#include "tool/tune/fit_thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>

#include "layout/kernel/kernels.hpp"
#include "tool/tune/process_pair.hpp"

namespace heddle::tool {
namespace {

using layout::Bytes;
using layout::Count;
using layout::kernel::Dim;
using layout::kernel::Thresholds;

constexpr Bytes kib = 1 << 10, mib = 1 << 20, room = 64 * mib;

/// Memory whose pages exist.
std::vector<std::byte> touched(Bytes bytes) { return std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{1}); }

struct Memory {
  std::vector<std::byte> user = touched(room + mib), packed = touched(room + mib), reader = touched(room / 2);
};

struct Trial {
  const char* what;
  Bytes Thresholds::*threshold;
  bool from;  ///< A size equal to the threshold is beyond it.
  std::vector<Bytes> sizes;
  std::function<void(Memory&, Bytes)> run;
};

void pack_rows(Memory& memory, Count count, Bytes block, Bytes stride) {
  const Dim dims[] = {{count, block, stride}};
  layout::kernel::nest(memory.packed.data(), memory.user.data(), dims, block);
}

/// Transposes a square of doubles, and reads the result, because stores past the caches cost the
/// reader time.
void transpose(Memory& memory, Bytes bytes) {
  const auto n = static_cast<Count>(std::sqrt(static_cast<double>(bytes) / 8)) / 8 * 8;
  const Dim dims[] = {{n, n * 8, 8}, {n, 8, n * 8}};
  layout::kernel::nest(memory.packed.data(), memory.user.data(), dims, 8);
  std::memcpy(memory.reader.data(), memory.packed.data(), static_cast<std::size_t>(n * n * 8));
}

constexpr Count list_length = 1 << 17;

/// Gathers blocks of 12 bytes, in ascending order, over so many bytes.
void gather(Memory& memory, Bytes reach) {
  static std::vector<std::int32_t> offsets;
  static Bytes made_for = 0;
  if (made_for != reach) {
    made_for = reach;
    std::mt19937 random(1);
    offsets.resize(list_length);
    for (std::int32_t& one : offsets) one = static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(reach / 4 - 4)) * 4;
    std::ranges::sort(offsets);
  }
  layout::kernel::gather(memory.packed.data(), memory.user.data(), offsets.data(), list_length, 12);
}

const Trial trials[] = {
    {"small blocks from a cache, and from memory",
     &Thresholds::memory_from,
     false,
     {mib, 2 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib},
     [](Memory& memory, Bytes span) { pack_rows(memory, span / 64, 8, 64); }},
    {"blocks from the first-level cache, and beyond",
     &Thresholds::inner_cache,
     false,
     {18 * kib, 36 * kib, 54 * kib, 72 * kib, 108 * kib, 144 * kib, 216 * kib},
     [](Memory& memory, Bytes span) {
       for (int i = 0; i < 20; ++i) pack_rows(memory, span / 192, 24, 192);
     }},
    {"long blocks by the C library",
     &Thresholds::library_from,
     true,
     {128, 256, 512, 1024, 2048},
     [](Memory& memory, Bytes block) { pack_rows(memory, 2048, block, 8192); }},
    {"transposes past the caches",
     &Thresholds::stream_from,
     true,
     {mib, 2 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib},
     transpose},
    {"lists from a cache, and from memory",
     &Thresholds::list_memory_from,
     false,
     {2 * mib, 4 * mib, 8 * mib, 16 * mib, 32 * mib, 64 * mib},
     gather},
};

double lower_quartile(std::vector<double>& times) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::ranges::nth_element(times, at);
  return *at;
}

/// Measures both kernels in turn, so that a disturbance affects both.
Rivals measured(const Trial& trial, Memory& memory, int samples) {
  Rivals rivals{trial.sizes, {}, {}};
  Thresholds below, beyond;
  below.library_from = beyond.library_from = room;  // unless this threshold is measured
  below.*trial.threshold = room * 2;
  beyond.*trial.threshold = 0;
  if (trial.threshold == &Thresholds::library_from) below.memory_from = beyond.memory_from = 0;
  for (const Bytes size : trial.sizes) {
    std::vector<double> times[2];
    for (int i = -1; i < samples; ++i)
      for (const int which : {0, 1}) {
        layout::kernel::use(which == 0 ? below : beyond);
        const double start = now();
        trial.run(memory, size);
        if (i >= 0) times[which].push_back(now() - start);
      }
    rivals.below.push_back(lower_quartile(times[0]));
    rivals.beyond.push_back(lower_quartile(times[1]));
  }
  return rivals;
}

}  // namespace

layout::Bytes settled(const Rivals& rivals, layout::Bytes usual) {
  // Adds logarithms, so that a tenth more is equally bad at each size.
  const auto cost = [&](Bytes largest_below) {
    double sum = 0;
    for (std::size_t i = 0; i < rivals.sizes.size(); ++i)
      sum += std::log(rivals.sizes[i] <= largest_below ? rivals.below[i] : rivals.beyond[i]);
    return sum;
  };
  constexpr double worth_a_change = 0.25;
  Bytes best = rivals.sizes.front() - 1;
  for (const Bytes size : rivals.sizes)
    if (cost(size) < cost(best)) best = size;
  return cost(usual) <= cost(best) + worth_a_change ? usual : best;
}

layout::kernel::Thresholds measure_thresholds(bool quick, const Progress& progress) {
  const Thresholds in_use = layout::kernel::thresholds();
  Thresholds here;
  Memory memory;
  double done = 0;
  for (const Trial& trial : trials) {
    progress(done, trial.what);
    done += 1.0 / static_cast<double>(std::size(trials));
    const Bytes usual = here.*trial.threshold - (trial.from ? 1 : 0);
    here.*trial.threshold = settled(measured(trial, memory, quick ? 9 : 41), usual) + (trial.from ? 1 : 0);
  }
  layout::kernel::use(in_use);
  return here;
}

}  // namespace heddle::tool
