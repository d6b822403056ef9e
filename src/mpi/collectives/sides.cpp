// mpi/collectives/sides.cpp
#include "mpi/collectives/sides.hpp"

#include "layout/transfer.hpp"

namespace heddle::mpi {

bool Side::prepare(const Buffer& data, Count blocks, bool significant) noexcept {
  data_ = data;
  blocks_ = blocks;
  count_ = data.count;
  address_ = const_cast<void*>(data.address);
  element_ = data.type;
  if (significant) type_ = Derived(data.type);
  if (!type_) return true;
  const Wire& wire = type_->wire();
  Count items = 0;
  Count elements = 0;
  Bytes bytes = 0;
  if (data_.count < 0 || __builtin_mul_overflow(data_.count, blocks_, &items) ||
      __builtin_mul_overflow(items, wire.per, &elements) || __builtin_mul_overflow(elements, wire.extent, &bytes))
    return false;
  count_ = data_.count * wire.per;
  element_ = wire.element;
  if (type_->wire_in_memory(items)) {
    address_ = static_cast<std::byte*>(address_) + type_->first_byte();
    return true;
  }
  staged_ = true;
  if (!staging_.reserve(bytes)) return false;
  address_ = staging_.data();
  return true;
}

void Side::load(Count first, Count blocks) {
  if (!staged_ || blocks <= 0) return;
  const Count count = blocks * data_.count;
  tally_.packs(type_->layout(), count * type_->size(), [&] { type_->to_wire(theirs(first), count, packed(first)); });
}

void Side::store(Count first, Count blocks) {
  if (!staged_ || blocks <= 0) return;
  const Count count = blocks * data_.count;
  tally_.unpacks(type_->layout(), count * type_->size(), [&] { type_->from_wire(theirs(first), count, packed(first)); });
}

bool move_own_block(const Side& out, Count out_block, const Side& in, Count in_block) noexcept {
  if (!out.staged_ || !in.staged_) return false;
  if (out.type_->size() * out.data_.count != in.type_->size() * in.data_.count) return false;
  layout::transfer(out.type_->layout(), out.data_.count, out.theirs(out_block), in.type_->layout(), in.data_.count,
                   in.theirs(in_block));
  return true;
}

Blocks::~Blocks() {
  tally_.flush();
  if (!holds_types_) return;
  for (int i = 0; i < ranks_; ++i)
    if (blocks_[i].type) blocks_[i].type->release();
}

bool Blocks::make_arrays(int ranks, bool types) noexcept {
  const auto n = static_cast<std::size_t>(ranks);
  if (!arrays_.reserve(static_cast<Bytes>(n * (sizeof(Block) + 2 * sizeof(Count) + (types ? sizeof(MPI_Datatype) : 0)))))
    return false;
  ranks_ = ranks;
  blocks_ = reinterpret_cast<Block*>(arrays_.data());
  auto* numbers = reinterpret_cast<Count*>(blocks_ + n);
  counts_ = Handed(numbers, ranks);
  displacements_ = Handed(numbers + n, ranks);
  elements_ = types ? reinterpret_cast<MPI_Datatype*>(numbers + 2 * n) : nullptr;
  for (int i = 0; i < ranks; ++i) blocks_[i] = Block{nullptr, 0, 0, 0};
  return true;
}

bool Blocks::prepare(const VArgument& data, int ranks, bool significant) noexcept {
  user_ = address_ = const_cast<void*>(data.address);
  element_ = their_type_ = data.type;
  if (!significant) return true;
  if (ranks > 0 && !whole(data)) return false;
  if (!make_arrays(ranks, false)) return false;
  type_ = Derived(data.type);
  ours_ = static_cast<bool>(type_);
  if (!ours_) {
    for (int i = 0; i < ranks; ++i) {
      counts_[i] = data.counts[i];
      displacements_[i] = data.displacements[i];
    }
    return true;
  }
  const Wire& wire = type_->wire();
  const bool in_memory = type_->wire_in_memory(2);  // as many as there may be
  element_ = wire.element;
  staged_ = !in_memory;
  Count total = 0;  // wire elements
  for (int i = 0; i < ranks; ++i) {
    const Count items = data.counts[i];
    const Count displacement = data.displacements[i];
    Block& block = blocks_[i];
    if (items < 0 || __builtin_mul_overflow(items, wire.per, &counts_[i]) ||
        __builtin_mul_overflow(displacement, type_->extent(), &block.theirs))
      return false;
    block.type = items > 0 ? type_.get() : nullptr;
    block.items = items;
    if (in_memory) {
      if (__builtin_mul_overflow(displacement, wire.per, &displacements_[i])) return false;
      continue;
    }
    if (__builtin_mul_overflow(total, wire.extent, &block.packed)) return false;
    displacements_[i] = total;
    if (__builtin_add_overflow(total, counts_[i], &total)) return false;
  }
  if (in_memory) {
    address_ = static_cast<std::byte*>(user_) + type_->first_byte();
    return true;
  }
  Bytes bytes = 0;
  if (__builtin_mul_overflow(total, wire.extent, &bytes) || !staging_.reserve(bytes)) return false;
  address_ = staging_.data();
  return true;
}

bool Blocks::prepare(const WArgument& data, int ranks, bool significant) noexcept {
  user_ = address_ = const_cast<void*>(data.address);
  if (!significant) return true;
  if (ranks > 0 && !whole(data)) return false;
  if (!make_arrays(ranks, true)) return false;
  for (int i = 0; i < ranks; ++i) {
    counts_[i] = data.counts[i];
    displacements_[i] = data.displacements[i];
    elements_[i] = data.types[i];
    if (counts_[i] < 0) return false;
    ours_ |= counts_[i] > 0 && known(data.types[i]);
  }
  if (!ours_) return true;

  // One buffer address serves all blocks, so if one of them is staged, all are.
  holds_types_ = true;
  bool in_memory = true;
  for (int i = 0; i < ranks; ++i) {
    Block& block = blocks_[i];
    block.items = counts_[i];
    block.theirs = displacements_[i];
    if (block.items == 0) continue;
    block.type = hold_any(data.types[i]);
    if (!block.type) return false;
    in_memory &= block.type->wire_in_memory(block.items);
  }
  constexpr Bytes alignment = 16;  // of every block in the staging buffer
  Bytes total = 0;
  for (int i = 0; i < ranks; ++i) {
    Block& block = blocks_[i];
    displacements_[i] = total;
    if (!block.type) continue;
    const Wire& wire = block.type->wire();
    elements_[i] = wire.element;
    Bytes bytes = 0;
    if (__builtin_mul_overflow(block.items, wire.per, &counts_[i]) || __builtin_mul_overflow(counts_[i], wire.extent, &bytes))
      return false;
    if (in_memory) {
      displacements_[i] = block.theirs + block.type->first_byte();
      continue;
    }
    block.packed = total;
    if (__builtin_add_overflow(total, bytes, &total) || __builtin_add_overflow(total, alignment - 1, &total)) return false;
    total -= total % alignment;
  }
  if (in_memory) return true;
  staged_ = true;
  if (!staging_.reserve(total)) return false;
  address_ = staging_.data();
  return true;
}

void Blocks::load_but(int rank) {
  for (int i = 0; i < ranks_; ++i)
    if (i != rank) load(i);
}
void Blocks::load(int rank) {
  if (!staged_ || !blocks_[rank].type) return;
  const Block& block = blocks_[rank];
  tally_.packs(block.type->layout(), block.items * block.type->size(), [&] {
    block.type->to_wire(static_cast<const std::byte*>(user_) + block.theirs, block.items, staging_.data() + block.packed);
  });
}

void Blocks::store_but(int rank) {
  for (int i = 0; i < ranks_; ++i)
    if (i != rank) store(i);
}
void Blocks::store(int rank) {
  if (!staged_ || !blocks_[rank].type) return;
  const Block& block = blocks_[rank];
  tally_.unpacks(block.type->layout(), block.items * block.type->size(), [&] {
    block.type->from_wire(static_cast<std::byte*>(user_) + block.theirs, block.items, staging_.data() + block.packed);
  });
}

Blocks::Own Blocks::own(int rank) const noexcept {
  const Block& block = blocks_[rank];
  Own own{block.type, block.items, static_cast<std::byte*>(user_) + block.theirs};
  if (own.type) {
    own.type->retain();
  } else if (!ours_ && counts_.at(rank) > 0) {  // a side of predefined types
    own.type = hold_any(elements_ ? elements_[rank] : their_type_);
    own.items = counts_.at(rank);
    const Bytes unit = elements_ ? 1 : own.type ? own.type->extent() : 0;  // of displacements: bytes in the w procedures
    own.address = static_cast<std::byte*>(user_) + displacements_.at(rank) * unit;
  }
  return own;
}

bool move_own_block(Blocks& out, int out_block, Blocks& in, int in_block) {
  if (out_block < 0 || out_block >= out.ranks_ || in_block < 0 || in_block >= in.ranks_) return false;
  const Blocks::Own from = out.own(out_block);
  const Blocks::Own to = in.own(in_block);
  const bool moved = from.type && to.type && from.type->size() * from.items == to.type->size() * to.items;
  if (moved) {
    layout::transfer(from.type->layout(), from.items, from.address, to.type->layout(), to.items, to.address);
    out.counts_[out_block] = in.counts_[in_block] = 0;
  }
  if (from.type) from.type->release();
  if (to.type) to.type->release();
  return moved;
}

}  // namespace heddle::mpi
