// engine/distance.hpp: how far the cores of a node are from each other now: what a cache line takes that the other core has
// written. It decides how packed bytes are stored. Virtual machines move their cores about, so it is seen anew with every large
// message: the receiver looks at the clock when it fetches the first line of a control block. May include: control.hpp.
//
//   receiver   generation = distances.fetch(sender, control);     // corrects what the sender believes
//   sender     asked = distances.ask(receiver, control);  ...  distances.hear(receiver, asked, control);
#pragma once

#include <atomic>
#include <memory>

#include "engine/control.hpp"

namespace heddle::engine {

/// Nanoseconds of a clock that only moves forward.
using Clock = std::int64_t (*)();

class Distances {
 public:
  /// How long a look at the clock takes is measured here.
  Distances(int ranks, Clock clock);

  /// Messages of so many bytes and more are worth two looks at the clock.
  static constexpr Bytes worthwhile = Bytes{8} << 10;

  /// ns for a line between this rank and that; 0: not known yet. The less of the last two: an interrupt makes one of them long.
  [[nodiscard]] std::uint32_t line(int rank) const noexcept { return of_[rank].line.load(std::memory_order_relaxed); }

  /// Of messages that do not go by a control block, every sixteenth should: else nobody sees that the cores have moved apart.
  [[nodiscard]] bool due(int rank) noexcept { return of_[rank].unseen.fetch_add(1, std::memory_order_relaxed) % 16 == 15; }

  /// The generation of a control block that `rank` has just written, and how long it took to come.
  std::uint64_t fetch(int rank, Control& control) noexcept;

  /// What the sender believes, for the receiver to correct. Before anybody knows of the block.
  std::uint32_t ask(int rank, Control& control) const noexcept;
  /// The receiver is through with the block.
  void hear(int rank, std::uint32_t asked, const Control& control) noexcept;

 private:
  struct Rank {
    std::atomic<std::uint32_t> line{0};
    std::atomic<std::uint32_t> last{0};
    std::atomic<std::uint32_t> unseen{0};  // messages
  };
  std::unique_ptr<Rank[]> of_;
  Clock clock_;
  std::int64_t look_;  // at the clock, ns
};

}  // namespace heddle::engine
