// engine/node/scatter_hints.hpp: the receivers that scatter messages which this process sends in
// one piece. Such a receiver says so, once. From then on this process sends it a descriptor for
// such messages, too. So the receiver need not receive into a staging buffer first: it unpacks
// while the sender still copies, or reads straight into its blocks (P-RRS, Wu et al. 2004, §4.2).
//
//   first bytes of the sender's node memory     any   rank 0   rank 1   ...
//                                               a byte each, 0 or 1; set by that rank, for good
#pragma once

#include <atomic>
#include <cstdint>

#include "engine/node/arena.hpp"

namespace heddle::engine {

class ScatterHints {
 public:
  /// @param memory  Node memory of the sender, as mapped here.
  explicit ScatterHints(std::byte* memory) noexcept : bytes_(reinterpret_cast<std::atomic<std::uint8_t>*>(memory)) {}

  /// True: a rank of the node scatters such messages. One load of a line that hardly ever changes.
  [[nodiscard]] bool any() const noexcept { return bytes_[0].load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] bool of(int rank) const noexcept {
    return rank < most && bytes_[1 + rank].load(std::memory_order_relaxed) != 0;
  }
  void set(int rank) noexcept {
    if (rank >= most || of(rank)) return;
    bytes_[1 + rank].store(1, std::memory_order_relaxed);
    bytes_[0].store(1, std::memory_order_relaxed);
  }

 private:
  static constexpr int most = 3071;  ///< Ranks of a node that have a byte. The next bytes belong to lengths.hpp.
  std::atomic<std::uint8_t>* bytes_;
};
static_assert(sizeof(std::atomic<std::uint8_t>) == 1 && std::atomic<std::uint8_t>::is_always_lock_free);

}  // namespace heddle::engine
