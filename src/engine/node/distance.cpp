// engine/node/distance.cpp: receivers measure a distance, and correct senders that believe another
// one.
#include "engine/node/distance.hpp"

#include <algorithm>
#include <limits>

namespace heddle::engine {
namespace {

/// True: not worth a correction, which would cost the sender a cache line.
bool much_the_same(std::uint32_t one, std::uint32_t other) { return one <= 2 * other && other <= 2 * one; }

}  // namespace

Distances::Distances(int ranks, Clock clock)
    : of_(std::make_unique<Rank[]>(static_cast<std::size_t>(ranks))), clock_(clock), look_(std::numeric_limits<int>::max()) {
  for (int i = 0; i < 32; ++i) {
    const std::int64_t begin = clock_();
    look_ = std::min(look_, clock_() - begin);
  }
}

std::uint64_t Distances::fetch(int rank, Control& control) noexcept {
  const std::int64_t begin = clock_();
  const std::uint64_t generation = control.generation.load(std::memory_order_acquire);
  const auto ns = static_cast<std::uint32_t>(std::clamp<std::int64_t>(clock_() - begin - look_, 1, 1'000'000));
  Rank& seen = of_[rank];
  const std::uint32_t last = seen.last.exchange(ns, std::memory_order_relaxed);
  const std::uint32_t line = last == 0 ? ns : std::min(last, ns);
  seen.line.store(line, std::memory_order_relaxed);
  if (!much_the_same(line, control.line_ns.load(std::memory_order_relaxed)))
    control.line_ns.store(line, std::memory_order_relaxed);
  return generation;
}

std::uint32_t Distances::ask(int rank, Control& control) const noexcept {
  const std::uint32_t believed = line(rank);
  control.line_ns.store(believed, std::memory_order_relaxed);
  return believed;
}

void Distances::hear(int rank, std::uint32_t asked, const Control& control) noexcept {
  const std::uint32_t told = control.line_ns.load(std::memory_order_relaxed);
  if (told != asked) of_[rank].line.store(told, std::memory_order_relaxed);
}

}  // namespace heddle::engine
