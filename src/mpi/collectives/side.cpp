// mpi/collectives/side.cpp
#include "mpi/collectives/side.hpp"

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

}  // namespace heddle::mpi
