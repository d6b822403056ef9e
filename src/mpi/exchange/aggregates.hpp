// mpi/exchange/aggregates.hpp: what two ranks have to say to each other in small blocks, said in one message. A rank is a
// neighbour several times where topologies are periodic and small: of the 26 neighbours on a 2 × 2 × 2 torus 7 are different
// ranks.
//
//   blocks to rank 3    tag 0, 8 B    tag 1, 9 KiB    tag 2, 272 B    tag 3, 8 B
//   messages            tag 0: [ 8 B | 272 B | 8 B ]  tag 1: 9 KiB
//
// Both ranks know their blocks' tags and bytes, and so the aggregates. Includes shadow_comm.hpp, types/arguments.hpp.
#pragma once

#include <functional>
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
  bool mailable = false;        ///< Of a pair of ranks this block, or the aggregate that it begins, may be in the mailbox.

  /// Of a block in a mailbox: of all that is there.
  [[nodiscard]] Bytes mailed() const noexcept { return next ? aggregate : bytes; }
  /// What such a block is as a message.
  [[nodiscard]] Role as_message() const noexcept { return next ? Role::first : Role::alone; }
};

/// Makes aggregates of the blocks of one direction, those of one rank in the order of their tags: of all of them, if they fit
/// into the mailbox of that pair of ranks together (`room(rank)`, bytes; 0: there is none), or else of the small ones. Says
/// what is mailable. Returns the bytes of all aggregates; -1: no memory.
Bytes aggregate(std::span<Block> blocks, const std::function<Bytes(int rank)>& room) noexcept;

// An aggregate's blocks, to and from their room. MPI_SUCCESS unless the host packs a type that Heddle does not know, and fails.
int pack_aggregate(const Block& first, std::byte* to, MPI_Comm comm) noexcept;
/// @param bytes  That have come: blocks beyond stay as they are.
int unpack_aggregate(const Block& first, const std::byte* from, Bytes bytes, MPI_Comm comm) noexcept;

}  // namespace heddle::mpi
