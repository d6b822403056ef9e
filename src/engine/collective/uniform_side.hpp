// engine/collective/uniform_side.hpp: one side of a collective that the library carries out, in the
// form that the library gets, if all blocks are alike.
//
//   Side<Types> in("gather");
//   if (!in.prepare(receive, ranks)) return {};                // what the program gave
//   PMPI_Gather(..., in.address(), in.count(), in.type(), ...);
//   in.store_but(me);                                          // from the staging buffer to the program's buffer
//
// Every derived type gets the wire form of its signature (layout/wire_form.hpp). If the type has no
// holes, nothing is copied, but the library gets the basic type all the same. Any other type is
// passed on as it came.
//
// The template parameter Types describes datatypes. The tests need it: they have no MPI.
//
//   Handle              the program's handle of a datatype
//   Entry               a datatype: size(), extent(), first_byte(), layout(), wire(), wire_in_memory(count),
//                       to_wire(), from_wire(); in use from retain() to release()
//   Reference(handle)        a derived type in use, like a pointer; null: predefined, or left to the library
//   hold_any(handle)    any type, which the caller releases; null: left to the library
//   known(handle)       true: a derived type
#pragma once

#include "engine/base/arguments.hpp"
#include "layout/transfer.hpp"
#include "report/tally.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::engine {

using layout::Bytes;
using layout::Count;

/// `count` elements for each rank, one after the other.
template <class Types>
class Side {
 public:
  using Type = typename Types::Handle;

  /// @param call  The name in the report.
  explicit Side(const char* call) noexcept : tally_(call) {}

  /// False: a negative count, or no memory. The call is then the library's.
  /// @param significant  False: MPI does not let us read the arguments at this rank in this call.
  [[nodiscard]] bool prepare(const Buffer<Type>& data, Count blocks, bool significant = true) noexcept;
  [[nodiscard]] bool ours() const { return static_cast<bool>(type_); }
  [[nodiscard]] bool packs_much() const noexcept { return staging_.large(); }

  /// The arguments for the library. The count is that of one rank's block.
  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] Number count() const { return {count_}; }
  [[nodiscard]] Type type() const { return element_; }
  [[nodiscard]] bool wide_counts() const { return !fits(count_); }
  [[nodiscard]] static bool wide_places() { return false; }
  void narrow_unless(bool /*wide*/, bool /*wide_places*/) {}
  /// Takes another type. Only if there are no elements.
  void name(Type element) { element_ = element; }

  /// Moves a block from the program's buffer to the staging buffer; load_but(): all blocks but one,
  /// or all (-1).
  void load(Count block) { load(block, 1); }
  void load_but(Count block) {
    load(0, block < 0 ? blocks_ : block);
    if (block >= 0) load(block + 1, blocks_ - block - 1);
  }
  /// Moves blocks back. Never touches a hole.
  void store(Count block) { store(block, 1); }
  void store_but(Count block) {
    store(0, block < 0 ? blocks_ : block);
    if (block >= 0) store(block + 1, blocks_ - block - 1);
  }

  /// Moves a block that a rank sends to itself from the program's send buffer to its receive
  /// buffer, in one pass. The library still copies that block between the staging buffers, but it
  /// is neither loaded nor stored. False, and nothing is moved: a side has no staging buffer, or
  /// the blocks differ in size.
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
  typename Types::Reference type_;
  Count count_ = 0;
  void* address_ = nullptr;
  Type element_{};
  bool staged_ = false;
  threads::StagingBuffer staging_;
  report::Tally tally_;  // destroyed before type_
};

template <class Types>
bool Side<Types>::prepare(const Buffer<Type>& data, Count blocks, bool significant) noexcept {
  data_ = data;
  blocks_ = blocks;
  count_ = data.count;
  address_ = const_cast<void*>(data.address);
  element_ = data.type;
  if (significant) type_ = typename Types::Reference(data.type);
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
