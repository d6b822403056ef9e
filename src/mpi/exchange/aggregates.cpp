// mpi/exchange/aggregates.cpp
#include "mpi/exchange/aggregates.hpp"

#include <algorithm>

#include "mpi/requests/completion.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {
namespace {

/// Bytes. Packing twice costs less than another message; larger blocks may be announced.
constexpr Bytes small_enough = 4 << 10;
/// An aggregate is still a message that hosts send at once.
constexpr Bytes most_together = 32 << 10;

}  // namespace

// 1. Of each rank, those that are small, in order. 2. As many of one rank as go together are an aggregate; one alone is a
// message.
Bytes aggregate(std::span<Block> blocks) noexcept {
  requests::Scratch<Block*> small(static_cast<int>(blocks.size()) + 1);
  if (!small) return -1;
  int found = 0;
  for (Block& block : blocks)
    if (block.role == Block::Role::alone && block.bytes <= small_enough) small[found++] = &block;
  std::sort(small.get(), small.get() + found, [](const Block* one, const Block* other) {
    return one->edge.rank != other->edge.rank ? one->edge.rank < other->edge.rank : one->edge.tag < other->edge.tag;
  });
  Bytes all = 0;
  for (int begin = 0, end = 0; begin < found; begin = end) {
    Bytes bytes = 0;
    for (end = begin; end < found && small[end]->edge.rank == small[begin]->edge.rank; ++end) {
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

int pack_aggregate(const Block& first, MPI_Comm comm) noexcept {
  Element element;
  std::byte* to = first.packed;
  int error = MPI_SUCCESS;
  for (const Block* block = &first; block && error == MPI_SUCCESS; block = block->next) {
    error = element.look(block->data.type);
    if (error == MPI_SUCCESS) error = element.pack(block->data.address, block->data.count, to, comm);
    to += block->bytes;
  }
  return error;
}

int unpack_aggregate(const Block& first, MPI_Comm comm) noexcept {
  Element element;
  const std::byte* from = first.packed;
  int error = MPI_SUCCESS;
  for (const Block* block = &first; block && error == MPI_SUCCESS; block = block->next) {
    error = element.look(block->data.type);
    if (error == MPI_SUCCESS) error = element.unpack(from, const_cast<void*>(block->data.address), block->data.count, comm);
    from += block->bytes;
  }
  return error;
}

}  // namespace heddle::mpi
