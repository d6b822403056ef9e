// report/volume.hpp: the volume of a call: the bytes that this rank sends, or has room for, and
// their destinations.
//
//   const Partners partners = ...;                                     // once for each communicator
//   const Volume volume(moves, partners, sent, received);              // sent(i): bytes of the block for peer i
//   volume.bytes();                                                    // negative: unknown
//   volume.each([&](int world_rank, std::int64_t bytes) { ... });      // each destination
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::report {

/// The blocks that a collective moves, and their ends.
enum class Pattern : std::uint8_t {
  none,
  alltoall,   ///< Each rank has a block for each rank.
  allgather,  ///< Each rank's block goes to all.
  gather,     ///< Each rank's block goes to the root.
  scatter,    ///< The root has a block for each rank.
  broadcast,  ///< The root's buffer goes to all.
  neighbor_alltoall,
  neighbor_allgather,
};

/// The ranks with which a rank exchanges messages on a communicator.
struct Partners {
  bool operator==(const Partners&) const = default;

  bool inter = false;             ///< The communicator has two groups.
  int me = -1;                    ///< This rank in its own group; -1: unknown.
  std::vector<int> world{};       ///< Ranks in MPI_COMM_WORLD of the communicator, or of the other group if there are two.
  std::uint64_t identity = 0;     ///< Equal on all ranks of the communicator; other ranks, or another order, have another.
  std::vector<int> neighbours{};  ///< Destinations in a topology: ranks of the communicator, in the order of the blocks.
};

/// The arguments of a call that decide its volume.
struct Moves {
  Pattern pattern = Pattern::none;
  int peer = -1;                   ///< Destination, without a pattern.
  std::int64_t one = -1;           ///< Bytes of its one buffer, without a pattern or in a broadcast; negative: unknown.
  bool is_root = false;            ///< This rank is the root.
  bool has_block = true;           ///< This rank has a block for the root, or from it.
  int root = -1;                   ///< The root.
  bool sends_in_place = false;     ///< The sent data is in the receive buffer.
  bool receives_in_place = false;  ///< The received data stays in the send buffer.
};

/// Sent, Received: std::int64_t(int peer), bytes of a block.
template <class Sent, class Received>
class Volume {
 public:
  Volume(const Moves& moves, const Partners& partners, const Sent& sent, const Received& received) noexcept
      : moves_(moves), partners_(partners), sent_(sent), received_(received) {}

  /// Bytes that a rank sends. For calls that receive, and at the root of a gather, it is the room
  /// for data. For an allgather or a broadcast it is one block, for any number of ranks.
  [[nodiscard]] std::int64_t bytes() const noexcept {
    if (moves_.pattern == Pattern::none || moves_.pattern == Pattern::broadcast) return moves_.one;
    if (partners_.me < 0) return -1;
    switch (moves_.pattern) {
      case Pattern::alltoall:
        return sum([this](int i) { return sending(i); });
      case Pattern::allgather:
        return contribution();
      case Pattern::gather:
        return moves_.is_root ? sum(received_) : moves_.has_block ? sent_(0) : 0;
      case Pattern::scatter:
        return moves_.is_root ? sum(sent_) : moves_.has_block ? received_(0) : 0;
      case Pattern::neighbor_alltoall:
      case Pattern::neighbor_allgather: {
        const bool one = moves_.pattern == Pattern::neighbor_allgather;
        std::int64_t bytes = 0;
        for (int i = 0; i < neighbours(); ++i)
          if (partners_.neighbours[static_cast<std::size_t>(i)] >= 0) bytes = one ? sent_(0) : bytes + sent_(i);
        return bytes;
      }
      case Pattern::none:
      case Pattern::broadcast:
        break;
    }
    return -1;
  }

  /// Calls `tell(rank in MPI_COMM_WORLD, bytes)` for each destination.
  template <class Tell>
  void each(const Tell& tell) const {
    const auto to = [&](int peer, std::int64_t bytes) {
      if (peer >= 0 && peer < ranks() && bytes > 0) tell(partners_.world[static_cast<std::size_t>(peer)], bytes);
    };
    const auto to_all = [&](bool but_itself, const auto& block) {
      for (int i = 0; i < ranks(); ++i)
        if (!but_itself || !own(i)) to(i, block(i));
    };
    switch (moves_.pattern) {
      case Pattern::none:
        return to(moves_.peer, moves_.one);
      case Pattern::alltoall:
        return to_all(moves_.sends_in_place, [this](int i) { return sending(i); });
      case Pattern::allgather:
        return to_all(moves_.sends_in_place, [this](int /*i*/) { return contribution(); });
      case Pattern::gather:
        if (moves_.has_block && !moves_.sends_in_place) to(moves_.root, sent_(0));
        return;
      case Pattern::scatter:
        if (moves_.is_root) to_all(moves_.receives_in_place, sent_);
        return;
      case Pattern::broadcast:
        if (moves_.is_root) to_all(true, [this](int /*i*/) { return moves_.one; });
        return;
      case Pattern::neighbor_alltoall:
      case Pattern::neighbor_allgather:
        for (int i = 0; i < neighbours(); ++i)
          to(partners_.neighbours[static_cast<std::size_t>(i)], sent_(moves_.pattern == Pattern::neighbor_alltoall ? i : 0));
        return;
    }
  }

 private:
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(partners_.world.size()); }
  [[nodiscard]] int neighbours() const noexcept { return static_cast<int>(partners_.neighbours.size()); }
  [[nodiscard]] bool own(int peer) const noexcept { return !partners_.inter && peer == partners_.me; }
  [[nodiscard]] std::int64_t sending(int i) const noexcept { return moves_.sends_in_place ? received_(i) : sent_(i); }
  [[nodiscard]] std::int64_t contribution() const noexcept {
    return moves_.sends_in_place ? received_(partners_.me) : sent_(0);
  }
  template <class Block>
  [[nodiscard]] std::int64_t sum(const Block& block) const noexcept {
    std::int64_t bytes = 0;
    for (int i = 0; i < ranks(); ++i) bytes += block(i);
    return bytes;
  }

  const Moves& moves_;
  const Partners& partners_;
  const Sent& sent_;
  const Received& received_;
};

}  // namespace heddle::report
