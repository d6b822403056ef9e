// mpi/exchange/aggregates.hpp: what two ranks have to say to each other in small blocks, said in one message. A rank is a
// neighbour several times where topologies are periodic and small: of the 26 neighbours on a 2 × 2 × 2 torus 7 are different
// ranks.
//
//   blocks to rank 3    tag 0, 8 B    tag 1, 9 KiB    tag 2, 272 B    tag 3, 8 B
//   messages            tag 0: [ 8 B | 272 B | 8 B ]  tag 1: 9 KiB
//
// Both ranks know their blocks' tags and bytes, and so the aggregates. Includes shadow_comm.hpp, types/arguments.hpp.
#pragma once

#include <span>

#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi {

/// What goes to, or comes from, one edge.
struct Block {
  Edge edge;
  Buffer data;
  Bytes bytes;
  /// Own: moved within this rank. First, later: of an aggregate, which only its first one names to others. Mailbox: by that of
  /// its pair of ranks (pair_mailboxes.hpp); consumed: such a one, in place.
  enum class Role { alone, own, first, later, mailbox, consumed } role = Role::alone;
  Block* next = nullptr;        ///< In the aggregate; of an own one, where it goes.
  Bytes aggregate = 0;          ///< Bytes of the whole, at its first block.
  std::byte* packed = nullptr;  ///< Room for them, likewise.
};

/// Makes aggregates of the small ones among the blocks of one direction, those of one rank in the order of their tags. Returns
/// the bytes of all aggregates; -1: no memory.
Bytes aggregate(std::span<Block> blocks) noexcept;

// An aggregate's blocks, to and from their room. MPI_SUCCESS unless the host packs a type that Heddle does not know, and fails.
int pack_aggregate(const Block& first, MPI_Comm comm) noexcept;
int unpack_aggregate(const Block& first, MPI_Comm comm) noexcept;

}  // namespace heddle::mpi
