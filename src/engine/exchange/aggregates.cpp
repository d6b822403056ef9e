// engine/exchange/aggregates.cpp: sorts blocks into aggregates, packs them and unpacks them.
#include "engine/exchange/aggregates.hpp"

#include <algorithm>

#include "threads/staging_pool.hpp"

namespace heddle::engine {
namespace {

/// Bytes. Packing twice costs less than another message; larger blocks may be announced.
constexpr Bytes small_enough = 4 << 10;
/// An aggregate is still a message that hosts send at once.
constexpr Bytes most_together = 32 << 10;

/// Joins these blocks of one rank into one aggregate. Returns its bytes.
Bytes join(std::span<Block* const> blocks) noexcept {
  if (blocks.size() < 2) return 0;
  Bytes bytes = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i]->role = i == 0 ? Block::Role::first : Block::Role::later;
    blocks[i]->next = i + 1 < blocks.size() ? blocks[i + 1] : nullptr;
    bytes += blocks[i]->bytes;
  }
  return blocks[0]->aggregate = bytes;
}

/// Joins the small blocks of one rank, as many as go together each time. Returns the bytes of all
/// aggregates. Changes the order.
Bytes join_small(std::span<Block*> blocks) noexcept {
  const auto large = std::ranges::stable_partition(blocks, [](const Block* one) { return one->bytes <= small_enough; });
  const std::span<Block*> small(blocks.begin(), large.begin());
  blocks[0]->mailable = true;
  Bytes all = 0;
  for (std::size_t begin = 0, end = 0; begin < small.size(); begin = end) {
    Bytes bytes = 0;
    for (end = begin; end < small.size() && bytes + small[end]->bytes <= most_together; ++end) bytes += small[end]->bytes;
    all += join(small.subspan(begin, end - begin));
  }
  return all;
}

}  // namespace

Bytes aggregate(std::span<Block> blocks, const std::function<Bytes(Rank rank)>& room) noexcept {
  threads::Scratch<Block*> kept(static_cast<int>(blocks.size()) + 1);
  if (!kept) return -1;
  std::size_t found = 0;
  for (Block& block : blocks)
    if (block.role == Block::Role::alone) kept[static_cast<int>(found++)] = &block;
  const std::span<Block*> sorted(kept.get(), found);
  std::ranges::sort(sorted, [](const Block* one, const Block* other) {
    return one->rank != other->rank ? one->rank < other->rank : one->tag < other->tag;
  });
  Bytes all = 0;
  for (std::size_t begin = 0, end = 0; begin < found; begin = end) {
    Bytes bytes = 0;
    for (end = begin; end < found && sorted[end]->rank == sorted[begin]->rank; ++end) bytes += sorted[end]->bytes;
    const std::span<Block*> of_rank = sorted.subspan(begin, end - begin);
    if (bytes <= room(sorted[begin]->rank)) {
      of_rank[0]->mailable = true;
      all += join(of_rank);
    } else {
      all += join_small(of_rank);
    }
  }
  return all;
}

int pack_aggregate(const Block& first, std::byte* to, Carrier& carrier) noexcept {
  int error = 0;
  for (const Block* block = &first; block && error == 0; block = block->next) {
    error = carrier.pack(*block, to);
    to += block->bytes;
  }
  return error;
}

int unpack_aggregate(const Block& first, const std::byte* from, Bytes bytes, Carrier& carrier) noexcept {
  int error = 0;
  for (const Block* block = &first; block && error == 0; block = block->next) {
    if ((bytes -= block->bytes) < 0) break;
    error = carrier.unpack(*block, from, block->bytes);
    from += block->bytes;
  }
  return error;
}

}  // namespace heddle::engine
