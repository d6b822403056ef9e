// engine/node/distance.hpp: measures the distance between the cores of two ranks of a node: the
// time to fetch a cache line that the other core has written. The distance decides how packed bytes
// are stored. Virtual machines move their cores about, so every large message measures it anew: the
// receiver looks at the clock when it fetches the first line of a control block.
//
//   receiver   generation = distances.fetch(sender, control);     // corrects the sender's belief
//   sender     asked = distances.ask(receiver, control);  ...  distances.hear(receiver, asked, control);
#pragma once

#include <atomic>
#include <memory>

#include "engine/node/control_block.hpp"

namespace heddle::engine {

/// Nanoseconds of a clock that only moves forward.
using Clock = std::int64_t (*)();

class Distances {
 public:
  /// Measures how long a look at the clock takes.
  Distances(int ranks, Clock clock);

  /// Messages of so many bytes and more are worth two looks at the clock.
  static constexpr Bytes worthwhile = Bytes{8} << 10;

  /// ns for a line between this rank and `rank`; 0: not known yet. It is the smaller of the last
  /// two times, because an interrupt makes a time long.
  [[nodiscard]] std::uint32_t line(int rank) const noexcept { return of_[rank].line.load(std::memory_order_relaxed); }

  /// True for each 128th decision for a message without a control block. This message should use
  /// one, or no rank would notice that the cores have moved apart. A decision may hold for up to 32
  /// messages (left_to_host() in mpi/types/entry.hpp).
  [[nodiscard]] bool due(int rank) noexcept { return of_[rank].unseen.fetch_add(1, std::memory_order_relaxed) % 128 == 127; }

  /// Returns the generation of a control block that `rank` has just written, and measures how long
  /// the line took to come.
  std::uint64_t fetch(int rank, Control& control) noexcept;

  /// Writes the sender's belief, which the receiver may correct. Only before the receiver knows of
  /// the block.
  std::uint32_t ask(int rank, Control& control) const noexcept;
  /// Reads the correction. Only when the receiver is through with the block.
  void hear(int rank, std::uint32_t asked, const Control& control) noexcept;

 private:
  struct Rank {
    std::atomic<std::uint32_t> line{0};
    std::atomic<std::uint32_t> last{0};
    std::atomic<std::uint32_t> unseen{0};  // messages
  };
  std::unique_ptr<Rank[]> of_;
  Clock clock_;
  std::int64_t look_;  // ns of a look at the clock
};

}  // namespace heddle::engine
