// engine/collective/block_sides.hpp: one side of a collective that the library carries out, in the
// form that the library gets, if each block has its own count and place. Wire forms, the staging
// buffer and Types are as in uniform_side.hpp, also the tests' need of Types.
//
//   Blocks<Types> in("gather");
//   if (!in.prepare(receive, ranks)) return {};
//   const bool wide = in.wide_counts() || in.wide_places();
//   in.narrow_unless(wide, false);                             // int arrays for PMPI_X, large ones for PMPI_X_c
//   PMPI_Gatherv(..., in.address(), in.counts(), in.displacements(), in.type(), ...);
//   in.store_but(me);
#pragma once

#include "engine/collective/uniform_side.hpp"

namespace heddle::engine {

/// A block for each rank, each with its own count and place, and in the w procedures its own type.
/// The staging buffer holds the blocks one after the other in rank order, whatever the program's
/// displacements.
template <class Types>
class Blocks {
 public:
  using Type = typename Types::Handle;

  /// @param call  The name in the report.
  explicit Blocks(const char* call) noexcept : tally_(call) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks();

  /// False: the call is the library's. A count is negative, an array is null, a number is beyond 64
  /// bits, the contents of a type are unknown, or there is no memory.
  [[nodiscard]] bool prepare(const VArgument<Type>& data, int ranks, bool significant = true) noexcept;
  [[nodiscard]] bool prepare(const WArgument<Type>& data, int ranks, bool significant = true) noexcept;

  [[nodiscard]] bool ours() const { return ours_; }
  [[nodiscard]] bool packs_much() const noexcept { return staging_.large(); }
  [[nodiscard]] bool wide_counts() const { return !counts_.fit(); }
  [[nodiscard]] bool wide_places() const { return !displacements_.fit(); }
  /// Makes int arrays for PMPI_X. PMPI_X_c takes the large ones.
  void narrow_unless(bool wide, bool wide_places) {
    if (!wide) counts_.narrow();
    if (!wide && !wide_places) displacements_.narrow();
  }

  /// The arguments for the library.
  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] const Handed& counts() const { return counts_; }
  [[nodiscard]] const Handed& displacements() const { return displacements_; }
  [[nodiscard]] Type type() const { return element_; }
  [[nodiscard]] const Type* types() const { return elements_; }

  void load(int rank);
  void store(int rank);
  /// All blocks but one, or all (-1).
  void load_but(int rank);
  void store_but(int rank);

  /// Moves this rank's block to itself into `in` in one pass, and takes it out of the library's
  /// arguments, which saves two copies. No other rank is concerned. Only before narrowing. False,
  /// and nothing is moved: the two blocks differ in size. On one rank, nothing is left for the
  /// library. That also avoids a fault of Open MPI 5.0.11, which then takes MPI_Alltoallw's
  /// displacements for extents.
  [[nodiscard]] bool move_own_block(int block, Blocks& in, int in_block);

 private:
  using Entry = typename Types::Entry;
  struct Block {
    const Entry* type;  // null: nothing to move
    Count items;
    Bytes theirs;  // from the program's address
    Bytes packed;  // from the start of the staging buffer
  };

  /// A block in the program's buffer. The caller releases `type`.
  struct Own {
    const Entry* type = nullptr;
    Count items = 0;
    std::byte* address = nullptr;
  };
  [[nodiscard]] Own own(int rank) const noexcept;

  bool make_arrays(int ranks, bool types) noexcept;

  void* user_ = nullptr;
  void* address_ = nullptr;
  int ranks_ = 0;
  bool ours_ = false;
  bool staged_ = false;
  Type element_{};
  Type their_type_{};               // v
  typename Types::Reference type_;  // v: the one type
  Block* blocks_ = nullptr;         // staged_ or w
  bool holds_types_ = false;        // w: each block holds its type
  Type* elements_ = nullptr;
  Handed counts_, displacements_;
  threads::StagingBuffer arrays_, staging_;
  report::Tally tally_;
};

template <class Types>
Blocks<Types>::~Blocks() {
  tally_.flush();
  if (!holds_types_) return;
  for (int i = 0; i < ranks_; ++i)
    if (blocks_[i].type) blocks_[i].type->release();
}

template <class Types>
bool Blocks<Types>::make_arrays(int ranks, bool types) noexcept {
  const auto n = static_cast<std::size_t>(ranks);
  if (!arrays_.reserve(static_cast<Bytes>(n * (sizeof(Block) + 2 * sizeof(Count) + (types ? sizeof(Type) : 0))))) return false;
  ranks_ = ranks;
  blocks_ = reinterpret_cast<Block*>(arrays_.data());
  auto* numbers = reinterpret_cast<Count*>(blocks_ + n);
  counts_ = Handed(numbers, ranks);
  displacements_ = Handed(numbers + n, ranks);
  elements_ = types ? reinterpret_cast<Type*>(numbers + 2 * n) : nullptr;
  for (int i = 0; i < ranks; ++i) blocks_[i] = Block{nullptr, 0, 0, 0};
  return true;
}

template <class Types>
bool Blocks<Types>::prepare(const VArgument<Type>& data, int ranks, bool significant) noexcept {
  user_ = address_ = const_cast<void*>(data.address);
  element_ = their_type_ = data.type;
  if (!significant) return true;
  if (ranks > 0 && !whole(data)) return false;
  if (!make_arrays(ranks, false)) return false;
  type_ = typename Types::Reference(data.type);
  ours_ = static_cast<bool>(type_);
  if (!ours_) {
    for (int i = 0; i < ranks; ++i) {
      counts_[i] = data.counts[i];
      displacements_[i] = data.displacements[i];
    }
    return true;
  }
  const auto& wire = type_->wire();
  const bool in_memory = type_->wire_in_memory(2);  // 2 stands for several items
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

template <class Types>
bool Blocks<Types>::prepare(const WArgument<Type>& data, int ranks, bool significant) noexcept {
  user_ = address_ = const_cast<void*>(data.address);
  if (!significant) return true;
  if (ranks > 0 && !whole(data)) return false;
  if (!make_arrays(ranks, true)) return false;
  for (int i = 0; i < ranks; ++i) {
    counts_[i] = data.counts[i];
    displacements_[i] = data.displacements[i];
    elements_[i] = data.types[i];
    if (counts_[i] < 0) return false;
    ours_ |= counts_[i] > 0 && Types::known(data.types[i]);
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
    block.type = Types::hold_any(data.types[i]);
    if (!block.type) return false;
    in_memory &= block.type->wire_in_memory(block.items);
  }
  constexpr Bytes alignment = 16;  // each block in the staging buffer has it
  Bytes total = 0;
  for (int i = 0; i < ranks; ++i) {
    Block& block = blocks_[i];
    displacements_[i] = total;
    if (!block.type) continue;
    const auto& wire = block.type->wire();
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

template <class Types>
void Blocks<Types>::load_but(int rank) {
  for (int i = 0; i < ranks_; ++i)
    if (i != rank) load(i);
}
template <class Types>
void Blocks<Types>::load(int rank) {
  if (!staged_ || !blocks_[rank].type) return;
  const Block& block = blocks_[rank];
  tally_.packs(block.type->layout(), block.items * block.type->size(), [&] {
    block.type->to_wire(static_cast<const std::byte*>(user_) + block.theirs, block.items, staging_.data() + block.packed);
  });
}

template <class Types>
void Blocks<Types>::store_but(int rank) {
  for (int i = 0; i < ranks_; ++i)
    if (i != rank) store(i);
}
template <class Types>
void Blocks<Types>::store(int rank) {
  if (!staged_ || !blocks_[rank].type) return;
  const Block& block = blocks_[rank];
  tally_.unpacks(block.type->layout(), block.items * block.type->size(), [&] {
    block.type->from_wire(static_cast<std::byte*>(user_) + block.theirs, block.items, staging_.data() + block.packed);
  });
}

template <class Types>
typename Blocks<Types>::Own Blocks<Types>::own(int rank) const noexcept {
  const Block& block = blocks_[rank];
  Own own{block.type, block.items, static_cast<std::byte*>(user_) + block.theirs};
  if (own.type) {
    own.type->retain();
  } else if (!ours_ && counts_.at(rank) > 0) {  // a side of predefined types
    own.type = Types::hold_any(elements_ ? elements_[rank] : their_type_);
    own.items = counts_.at(rank);
    const Bytes unit = elements_ ? 1 : own.type ? own.type->extent() : 0;  // bytes in the w procedures
    own.address = static_cast<std::byte*>(user_) + displacements_.at(rank) * unit;
  }
  return own;
}

template <class Types>
bool Blocks<Types>::move_own_block(int block, Blocks& in, int in_block) {
  if (block < 0 || block >= ranks_ || in_block < 0 || in_block >= in.ranks_) return false;
  const Own from = own(block);
  const Own to = in.own(in_block);
  const bool moved = from.type && to.type && from.type->size() * from.items == to.type->size() * to.items;
  if (moved) {
    layout::transfer(from.type->layout(), from.items, from.address, to.type->layout(), to.items, to.address);
    counts_[block] = in.counts_[in_block] = 0;
  }
  if (from.type) from.type->release();
  if (to.type) to.type->release();
  return moved;
}

}  // namespace heddle::engine
