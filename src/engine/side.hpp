// engine/side.hpp: one side of a collective that the library carries out, as the library gets it,
// if its blocks are all alike.
//
//   Side<Types> in("gather");
//   if (!in.prepare(receive, ranks)) return {};                // what the program gave
//   PMPI_Gather(..., in.address(), in.count(), in.type(), ...);
//   in.store_but(me);                                          // from the staging buffer to where the program wants it
//
// Every derived type gets the wire form of its signature (layout/wire_form.hpp), also one without holes: then nothing is
// copied, but the library is told the basic type all the same. Anything else is passed on as it came.
//
// Types, handed in, says what datatypes are:
//
//   Handle              as the program names them
//   Entry               what is known of one: size(), extent(), first_byte(), layout(), wire(), wire_in_memory(count),
//                       to_wire(), from_wire(); in use from retain() to release()
//   Held(handle)        a derived one in use, as a pointer has it; null: predefined, or left to the library
//   hold_any(handle)    any one, to be released; null: left to the library
//   known(handle)       whether it is a derived one
#pragma once

#include "engine/arguments.hpp"
#include "layout/transfer.hpp"
#include "report/tally.hpp"
#include "threads/pool.hpp"

namespace heddle::engine {

using layout::Bytes;
using layout::Count;

/// `count` elements for each rank, one after the other.
template <class Types>
class Side {
 public:
  using Type = typename Types::Handle;

  /// @param call  What the report calls it.
  explicit Side(const char* call) noexcept : tally_(call) {}

  /// @param significant  Whether MPI lets us read the arguments at all (at this rank, in this call).
  /// False: a negative count, no memory: the library's business.
  [[nodiscard]] bool prepare(const Buffer<Type>& data, Count blocks, bool significant = true) noexcept;
  [[nodiscard]] bool ours() const { return static_cast<bool>(type_); }
  [[nodiscard]] bool packs_much() const noexcept { return staging_.large(); }

  /// What the library gets. The count is that of one rank's block.
  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] Number count() const { return {count_}; }
  [[nodiscard]] Type type() const { return element_; }
  [[nodiscard]] bool wide_counts() const { return !fits(count_); }
  [[nodiscard]] static bool wide_places() { return false; }
  void narrow_unless(bool /*wide*/, bool /*wide_places*/) {}
  /// Where there are no elements: another type, of which there are none.
  void name(Type element) { element_ = element; }

  /// A block from the program's buffer to the staging buffer; all but one, or all (-1).
  void load(Count block) { load(block, 1); }
  void load_but(Count block) {
    load(0, block < 0 ? blocks_ : block);
    if (block >= 0) load(block + 1, blocks_ - block - 1);
  }
  /// And back. Never touches a hole.
  void store(Count block) { store(block, 1); }
  void store_but(Count block) {
    store(0, block < 0 ? blocks_ : block);
    if (block >= 0) store(block + 1, blocks_ - block - 1);
  }

  /// Moves a block that a rank sends to itself from the program's buffer to the program's buffer, in one pass. The library then
  /// copies whatever lies in the staging buffers: a block of it that is neither loaded nor stored. False, and nothing done: not
  /// both sides have a staging buffer, or the blocks differ in size.
  [[nodiscard]] bool move_own_block(Count block, const Side& in, Count in_block) const noexcept;

 private:
  void load(Count first, Count blocks);
  void store(Count first, Count blocks);
  [[nodiscard]] std::byte* theirs(Count block) const {
    return static_cast<std::byte*>(const_cast<void*>(data_.address)) + block * data_.count * type_->extent();
  }
  [[nodiscard]] std::byte* packed(Count block) const { return staging_.data() + block * count_ * type_->wire().extent; }

  Buffer<Type> data_{};
  Count blocks_ = 0;
  typename Types::Held type_;
  Count count_ = 0;
  void* address_ = nullptr;
  Type element_{};
  bool staged_ = false;
  threads::StagingBuffer staging_;
  report::Tally tally_;  // gone before the type is
};

template <class Types>
bool Side<Types>::prepare(const Buffer<Type>& data, Count blocks, bool significant) noexcept {
  data_ = data;
  blocks_ = blocks;
  count_ = data.count;
  address_ = const_cast<void*>(data.address);
  element_ = data.type;
  if (significant) type_ = typename Types::Held(data.type);
  if (!type_) return true;
  const auto& wire = type_->wire();
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

template <class Types>
void Side<Types>::load(Count first, Count blocks) {
  if (!staged_ || blocks <= 0) return;
  const Count count = blocks * data_.count;
  tally_.packs(type_->layout(), count * type_->size(), [&] { type_->to_wire(theirs(first), count, packed(first)); });
}

template <class Types>
void Side<Types>::store(Count first, Count blocks) {
  if (!staged_ || blocks <= 0) return;
  const Count count = blocks * data_.count;
  tally_.unpacks(type_->layout(), count * type_->size(), [&] { type_->from_wire(theirs(first), count, packed(first)); });
}

template <class Types>
bool Side<Types>::move_own_block(Count block, const Side& in, Count in_block) const noexcept {
  if (!staged_ || !in.staged_) return false;
  if (type_->size() * data_.count != in.type_->size() * in.data_.count) return false;
  layout::transfer(type_->layout(), data_.count, theirs(block), in.type_->layout(), in.data_.count, in.theirs(in_block));
  return true;
}

}  // namespace heddle::engine
