// mpi/lifecycle/volume.hpp: what a call moves: bytes that this rank sends, or has room for, and which rank gets them. Includes
// timed.hpp. For HEDDLE_REPORT: nothing of it is asked where nobody wants one.
//
//   const Partners partners(comm);                                     // once for each communicator
//   const Volume volume(called, partners, size_of_datatype);
//   volume.bytes();                                                    // negative: nobody knows
//   volume.each([&](int world_rank, Bytes bytes) { ... });             // who gets what
#pragma once

#include <cstdint>
#include <vector>

#include "mpi/lifecycle/timed.hpp"

namespace heddle::mpi {

/// With whom this rank exchanges messages on a communicator.
struct Partners {
  Partners() = default;
  /// Throws std::bad_alloc.
  explicit Partners(MPI_Comm comm);
  bool operator==(const Partners&) const = default;

  bool inter = false;
  int me = -1;
  std::vector<int> world;       ///< Ranks of MPI_COMM_WORLD: of the communicator, of the other group if there are two.
  std::vector<int> neighbours;  ///< That it sends to in a topology, in the order of the blocks, ranks of the communicator.
};

class Volume {
 public:
  /// @param size  Of the call's datatype, bytes; negative: it is asked for where it is needed.
  Volume(const timed::Called& called, const Partners& partners, std::int64_t size) noexcept
      : called_(called), partners_(partners), size_(size) {}

  /// What a rank sends; of what receives, and at the root of a gather, what there is room for. Of an allgather or a broadcast
  /// it is the one block, however many ranks get it.
  [[nodiscard]] std::int64_t bytes() const noexcept;

  /// `tell(rank of MPI_COMM_WORLD, bytes)` of each rank that this one sends to.
  template <class Tell>
  void each(const Tell& tell) const noexcept {
    using timed::Pattern;
    const auto to = [&](int peer, std::int64_t bytes) {
      if (peer >= 0 && static_cast<std::size_t>(peer) < partners_.world.size() && bytes > 0)
        tell(partners_.world[static_cast<std::size_t>(peer)], bytes);
    };
    const int ranks = static_cast<int>(partners_.world.size());
    switch (called_.pattern) {
      case Pattern::none:
        return to(called_.peer, one());
      case Pattern::alltoall:
        for (int i = 0; i < ranks; ++i)
          if (!in_place() || !own(i)) to(i, block(sending(), i));
        return;
      case Pattern::allgather:
        for (int i = 0; i < ranks; ++i)
          if (!in_place() || !own(i)) to(i, contribution());
        return;
      case Pattern::gather:
        if (leaf() && !in_place()) to(called_.root, block(called_.sent, 0));
        return;
      case Pattern::scatter:
        if (!root()) return;
        for (int i = 0; i < ranks; ++i)
          if (called_.received.buffer != MPI_IN_PLACE || !own(i)) to(i, block(called_.sent, i));
        return;
      case Pattern::broadcast:
        if (!root()) return;
        for (int i = 0; i < ranks; ++i)
          if (!own(i)) to(i, one());
        return;
      case Pattern::neighbor_alltoall:
      case Pattern::neighbor_allgather:
        for (std::size_t i = 0; i < partners_.neighbours.size(); ++i)
          to(partners_.neighbours[i],
             block(called_.sent, called_.pattern == Pattern::neighbor_alltoall ? static_cast<int>(i) : 0));
        return;
    }
  }

 private:
  using Blocks = timed::Blocks;

  [[nodiscard]] bool in_place() const noexcept { return called_.sent.buffer == MPI_IN_PLACE; }
  [[nodiscard]] bool own(int peer) const noexcept { return !partners_.inter && peer == partners_.me; }
  [[nodiscard]] bool root() const noexcept { return partners_.inter ? called_.root == MPI_ROOT : called_.root == partners_.me; }
  /// It has a block of its own for the root.
  [[nodiscard]] bool leaf() const noexcept {
    return !partners_.inter || (called_.root != MPI_ROOT && called_.root != MPI_PROC_NULL);
  }
  /// In place the data to be sent lie where others arrive.
  [[nodiscard]] const Blocks& sending() const noexcept { return in_place() ? called_.received : called_.sent; }
  [[nodiscard]] std::int64_t one() const noexcept;
  [[nodiscard]] std::int64_t contribution() const noexcept;
  [[nodiscard]] std::int64_t block(const Blocks& of, int i) const noexcept;
  [[nodiscard]] std::int64_t sum(const Blocks& of, std::size_t blocks) const noexcept;
  [[nodiscard]] std::int64_t size_of(MPI_Datatype type) const noexcept;

  const timed::Called& called_;
  const Partners& partners_;
  const std::int64_t size_;
  mutable MPI_Datatype asked_ = MPI_DATATYPE_NULL;  // the last one, and its size: many blocks have one datatype
  mutable std::int64_t answer_ = 0;
};

}  // namespace heddle::mpi
