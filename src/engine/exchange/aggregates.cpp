// engine/exchange/aggregates.cpp
#include "engine/exchange/aggregates.hpp"

#include <algorithm>

#include "threads/pool.hpp"

namespace heddle::engine {
namespace {

/// Bytes. Packing twice costs less than another message; larger blocks may be announced.
constexpr Bytes small_enough = 4 << 10;
/// An aggregate is still a message that hosts send at once.
constexpr Bytes most_together = 32 << 10;

}  // namespace

// 1. Of each rank, those that are small, in order. 2. As many of one rank as go together are an aggregate; one alone is a
// message.
Bytes aggregate(std::span<Block> blocks) noexcept {
  threads::Scratch<Block*> small(static_cast<int>(blocks.size()) + 1);
  if (!small) return -1;
  int found = 0;
  for (Block& block : blocks)
    if (block.role == Block::Role::alone && block.bytes <= small_enough) small[found++] = &block;
  std::sort(small.get(), small.get() + found, [](const Block* one, const Block* other) {
    return one->rank != other->rank ? one->rank < other->rank : one->tag < other->tag;
  });
  Bytes all = 0;
  for (int begin = 0, end = 0; begin < found; begin = end) {
    Bytes bytes = 0;
    for (end = begin; end < found && small[end]->rank == small[begin]->rank; ++end) {
      if (bytes + small[end]->bytes > most_together) break;
      bytes += small[end]->bytes;
    }
    if (end == begin + 1) continue;
    for (int i = begin; i < end; ++i) {
      small[i]->role = i == begin ? Block::Role::first : Block::Role::later;
      small[i]->next = i + 1 < end ? small[i + 1] : nullptr;
    }
    small[begin]->aggregate = bytes;
    all += bytes;
  }
  return all;
}

int pack_aggregate(const Block& first, Carrier& carrier) noexcept {
  std::byte* to = first.packed;
  int error = 0;
  for (const Block* block = &first; block && error == 0; block = block->next) {
    error = carrier.pack(*block, to);
    to += block->bytes;
  }
  return error;
}

int unpack_aggregate(const Block& first, Carrier& carrier) noexcept {
  const std::byte* from = first.packed;
  int error = 0;
  for (const Block* block = &first; block && error == 0; block = block->next) {
    error = carrier.unpack(*block, from, block->bytes);
    from += block->bytes;
  }
  return error;
}

}  // namespace heddle::engine
