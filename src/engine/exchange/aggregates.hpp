// engine/exchange/aggregates.hpp: joins small blocks between two ranks into one message. In small
// periodic topologies a rank is a neighbour several times: the 26 neighbours on a 2 × 2 × 2 torus
// are only 7 different ranks.
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

/// Makes aggregates of the blocks of one direction. An aggregate has blocks of one rank, in the
/// order of their tags. If all blocks of a rank fit together into the mailbox of that pair of
/// ranks, they are one aggregate. Otherwise the small blocks are joined. Also sets which blocks are
/// mailable. Returns the bytes of all aggregates; -1: no memory.
/// @param room  room(rank): bytes of that mailbox; 0: there is none.
Bytes aggregate(std::span<Block> blocks, const std::function<Bytes(Rank rank)>& room) noexcept;

// Pack and unpack the blocks of an aggregate.
int pack_aggregate(const Block& first, std::byte* to, Carrier& carrier) noexcept;
/// @param bytes  Bytes that have come. Blocks beyond them stay as they are.
int unpack_aggregate(const Block& first, const std::byte* from, Bytes bytes, Carrier& carrier) noexcept;

}  // namespace heddle::engine
