// mpi/exchange/parcels.cpp
#include "mpi/exchange/parcels.hpp"

#include <algorithm>

#include "layout/pack.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {
namespace {

/// Bytes. Packing twice costs less than another message; larger blocks may be announced.
constexpr Bytes small_enough = 4 << 10;
/// A parcel is still a message that hosts send at once.
constexpr Bytes most_together = 32 << 10;

int pack(const Buffer& data, Bytes bytes, std::byte* to, MPI_Comm comm) noexcept {
  if (const Derived type(hold_any(data.type)); type) {
    layout::pack(type->layout(), data.count, data.address, to);
    return MPI_SUCCESS;
  }
  int position = 0;
  return PMPI_Pack(data.address, static_cast<int>(data.count), data.type, to, static_cast<int>(bytes), &position, comm);
}

int unpack(const Buffer& data, Bytes bytes, const std::byte* from, MPI_Comm comm) noexcept {
  void* const address = const_cast<void*>(data.address);
  if (const Derived type(hold_any(data.type)); type) {
    layout::unpack(type->layout(), data.count, address, from);
    return MPI_SUCCESS;
  }
  int position = 0;
  return PMPI_Unpack(from, static_cast<int>(bytes), &position, address, static_cast<int>(data.count), data.type, comm);
}

}  // namespace

// 1. Of each rank, those that are small, in order. 2. As many of one rank as go together are a parcel; one alone is a message.
Bytes parcel(std::span<Block> blocks) noexcept {
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
    small[begin]->parcel = bytes;
    all += bytes;
  }
  return all;
}

int pack_parcel(const Block& first, MPI_Comm comm) noexcept {
  std::byte* to = first.packed;
  int error = MPI_SUCCESS;
  for (const Block* block = &first; block && error == MPI_SUCCESS; block = block->next) {
    error = pack(block->data, block->bytes, to, comm);
    to += block->bytes;
  }
  return error;
}

int unpack_parcel(const Block& first, MPI_Comm comm) noexcept {
  const std::byte* from = first.packed;
  int error = MPI_SUCCESS;
  for (const Block* block = &first; block && error == MPI_SUCCESS; block = block->next) {
    error = unpack(block->data, block->bytes, from, comm);
    from += block->bytes;
  }
  return error;
}

}  // namespace heddle::mpi
