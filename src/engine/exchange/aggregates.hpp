// engine/exchange/aggregates.hpp: what two ranks have to say to each other in small blocks, said in one message. A rank is a
// neighbour several times where topologies are periodic and small: of the 26 neighbours on a 2 × 2 × 2 torus 7 are different
// ranks.
//
//   blocks to rank 3    tag 0, 8 B    tag 1, 9 KiB    tag 2, 272 B    tag 3, 8 B
//   messages            tag 0: [ 8 B | 272 B | 8 B ]  tag 1: 9 KiB
//
// Both ranks know their blocks' tags and bytes, and so the aggregates.
#pragma once

#include <functional>
#include <span>

#include "engine/exchange/carrier.hpp"

namespace heddle::engine {

/// Makes aggregates of the blocks of one direction, those of one rank in the order of their tags: of all of them, if they fit
/// into the mailbox of that pair of ranks together (`room(rank)`, bytes; 0: there is none), or else of the small ones. Says
/// what is mailable. Returns the bytes of all aggregates; -1: no memory.
Bytes aggregate(std::span<Block> blocks, const std::function<Bytes(Rank rank)>& room) noexcept;

// An aggregate's blocks, to and from their room.
int pack_aggregate(const Block& first, std::byte* to, Carrier& carrier) noexcept;
/// @param bytes  That have come: blocks beyond stay as they are.
int unpack_aggregate(const Block& first, const std::byte* from, Bytes bytes, Carrier& carrier) noexcept;

}  // namespace heddle::engine
