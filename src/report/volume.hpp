// report/volume.hpp: what a call moves: bytes that this rank sends, or has room for, and which rank
// gets them.
//
//   const Partners partners = ...;                                     // once for each communicator
//   const Volume volume(moves, partners, sent, received);              // sent(i): bytes of the block for peer i
//   volume.bytes();                                                    // negative: nobody knows
//   volume.each([&](int world_rank, std::int64_t bytes) { ... });      // who gets what
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace heddle::report {

/// Which blocks a collective moves between whom.
enum class Pattern : std::uint8_t {
  none,
  alltoall,   ///< Each rank has a block for each.
  allgather,  ///< Each rank's block goes to all.
  gather,     ///< Each rank's block goes to the root.
  scatter,    ///< The root has a block for each rank.
  broadcast,  ///< The root's buffer goes to all.
  neighbor_alltoall,
  neighbor_allgather,
};

/// With whom a rank exchanges messages on a communicator.
struct Partners {
  bool operator==(const Partners&) const = default;

  bool inter = false;             ///< Of two groups.
  int me = -1;                    ///< In its own group; -1: nobody knows.
  std::vector<int> world{};       ///< Ranks of MPI_COMM_WORLD: of the communicator, of the other group if there are two.
  std::vector<int> neighbours{};  ///< That it sends to in a topology, in the order of the blocks, ranks of the communicator.
};

/// A call.
struct Moves {
  Pattern pattern = Pattern::none;
  int peer = -1;                   ///< To whom, without a pattern.
  std::int64_t one = -1;           ///< Bytes of its one buffer: without a pattern, or of a broadcast; negative: nobody knows.
  bool is_root = false;            ///< This rank is the root.
  bool has_block = true;           ///< It has one of its own for the root, or from it.
  int root = -1;                   ///< Who is.
  bool sends_in_place = false;     ///< What it sends lies where others arrive,
  bool receives_in_place = false;  ///< or what it receives where it is.
};

/// Sent, Received: std::int64_t(int peer), bytes of a block.
template <class Sent, class Received>
class Volume {
 public:
  Volume(const Moves& moves, const Partners& partners, const Sent& sent, const Received& received) noexcept
      : moves_(moves), partners_(partners), sent_(sent), received_(received) {}

  /// What a rank sends; of what receives, and at the root of a gather, what there is room for. Of an allgather or a broadcast
  /// it is the one block, however many ranks get it.
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

  /// `tell(rank of MPI_COMM_WORLD, bytes)` of each rank that this one sends to.
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
