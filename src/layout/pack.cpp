// layout/pack.cpp: one walk for both directions. It visits the tree in packed order and leaves
// regular parts to kernels.
#include "layout/pack.hpp"

#include <array>
#include <cstring>

#include "layout/kernel/choose_kernel.hpp"

namespace heddle::layout {
namespace {

std::size_t size_of(Bytes n) { return static_cast<std::size_t>(n); }

/// True if listed records are moved in passes, a step for many records at a time. False: record by
/// record.
bool in_passes(const kernel::Record& record, Count n, Direction direction) {
  const kernel::RecordFacts facts = kernel::facts_of(record, n, 0, true, direction, kernel::isa());
  return kernel::choose_kernel(facts, kernel::thresholds()).kernel != kernel::Kernel::record_whole;
}

struct Packing {
  static constexpr Direction direction = Direction::pack;
  using User = const std::byte*;
  using Packed = std::byte*;
  static const Prepared* prepared(const ProgramNode& node) { return node.packing.get(node, Direction::pack); }
  static void run(const kernel::Ready& nest, User user, Packed packed) { nest.run(packed, user); }
  static void copy(User user, Packed packed, Bytes n) { std::memcpy(packed, user, size_of(n)); }
  static kernel::Dim dim(Count count, Bytes user, Bytes packed) { return {count, packed, user}; }
  static void nest(User user, Packed packed, std::span<const kernel::Dim> dims, Bytes block) {
    kernel::nest(packed, user, dims, block);
  }
  static void blocks(User user, Packed packed, const auto* offsets, Count n, Bytes block) {
    kernel::gather(packed, user, offsets, n, block);
  }
  static void pieces(User user, Packed packed, const auto* offsets, const auto* lengths, Count n) {
    kernel::gather_pieces(packed, user, offsets, lengths, n);
  }
  static void records(User user, Packed packed, const kernel::Record& record, Count n, Bytes stride) {
    kernel::gather_records(packed, user, record, n, stride);
  }
  static void records_at(User user, Packed packed, const kernel::Record& record, const auto* offsets, Count n) {
    kernel::gather_records_at(packed, user, record, offsets, n);
  }
};

struct Unpacking {
  static constexpr Direction direction = Direction::unpack;
  using User = std::byte*;
  using Packed = const std::byte*;
  static const Prepared* prepared(const ProgramNode& node) { return node.unpacking.get(node, Direction::unpack); }
  static void run(const kernel::Ready& nest, User user, Packed packed) { nest.run(user, packed); }
  static void copy(User user, Packed packed, Bytes n) { std::memcpy(user, packed, size_of(n)); }
  static kernel::Dim dim(Count count, Bytes user, Bytes packed) { return {count, user, packed}; }
  static void nest(User user, Packed packed, std::span<const kernel::Dim> dims, Bytes block) {
    kernel::nest(user, packed, dims, block);
  }
  static void blocks(User user, Packed packed, const auto* offsets, Count n, Bytes block) {
    kernel::scatter(user, packed, offsets, n, block);
  }
  static void pieces(User user, Packed packed, const auto* offsets, const auto* lengths, Count n) {
    kernel::scatter_pieces(user, packed, offsets, lengths, n);
  }
  static void records(User user, Packed packed, const kernel::Record& record, Count n, Bytes stride) {
    kernel::scatter_records(user, packed, record, n, stride);
  }
  static void records_at(User user, Packed packed, const kernel::Record& record, const auto* offsets, Count n) {
    kernel::scatter_records_at(user, packed, record, offsets, n);
  }
};

/// Moves nodes, whole or in part, between memory and the packed stream. `user` is the placement of
/// the node. The stream is consumed from its start.
template <class Operation>
class Walk {
 public:
  using User = typename Operation::User;

  explicit Walk(typename Operation::Packed packed) : packed_(packed) {}

  void whole(const ProgramNode& node, User user) {
    const Prepared* prepared = Operation::prepared(node);
    if (prepared && !prepared->steps.empty() && prepared->generation == kernel::generation) [[likely]]
      return run(*prepared, node.size, user);
    std::visit([&](const auto& form) { whole(node, form, user); }, node.form);
  }

  /// Bytes lo ... hi-1 of the node's packed form; 0 <= lo < hi <= size.
  void part(const ProgramNode& node, User user, Bytes lo, Bytes hi) {
    if (lo == 0 && hi == node.size) return whole(node, user);
    std::visit([&](const auto& form) { part(node, form, user, lo, hi); }, node.form);
  }

  /// Moves `count` copies of `child`.
  void repeat(Count count, Bytes stride, const ProgramNode& child, User user) {
    // 1. The common case: loops around a block are one nest.
    std::array<kernel::Dim, kernel::max_dims> dims;
    std::size_t n = 0;
    dims[n++] = Operation::dim(count, stride, child.size);
    const ProgramNode* leaf = &child;
    while (n < dims.size()) {
      const auto* loop = std::get_if<Loop>(&leaf->form);
      if (!loop) break;
      dims[n++] = Operation::dim(loop->count, loop->stride, loop->child->size);
      leaf = loop->child.get();
    }
    if (leaf->contiguous()) {
      Operation::nest(user, packed_, {dims.data(), n}, leaf->size);
      packed_ += count * child.size;
      return;
    }
    // 2. A few pieces that are repeated are records.
    if (const kernel::Record* record = child.record()) {
      Operation::records(user, packed_, *record, count, stride);
      packed_ += count * child.size;
      return;
    }
    // 3. Other children are moved one by one.
    for (Count i = 0; i < count; ++i) whole(child, user + i * stride);
  }

  void repeat_part(Count count, Bytes stride, const ProgramNode& child, User user, Bytes lo, Bytes hi) {
    if (lo == 0 && hi == count * child.size) return repeat(count, stride, child, user);
    Count first = lo / child.size;
    const Count last = hi / child.size;
    const Bytes head = lo % child.size;
    const Bytes tail = hi % child.size;
    if (first == last) return part(child, user + first * stride, head, tail);
    if (head > 0) part(child, user + first++ * stride, head, child.size);
    if (last > first) repeat(last - first, stride, child, user + first * stride);
    if (tail > 0) part(child, user + last * stride, 0, tail);
  }

 private:
  void run(const Prepared& prepared, Bytes size, User user) {
    const auto start = packed_;
    for (const Step& step : prepared.steps)
      if (!step.other) [[likely]] {
        Operation::run(step.nest, user + step.user, start + step.packed);
      } else {
        packed_ = start + step.packed;
        whole(*step.other, user + step.user);
      }
    packed_ = start + size;
  }

  void copy(User user, Bytes n) {
    Operation::copy(user, packed_, n);
    packed_ += n;
  }

  void whole(const ProgramNode& node, const Block&, User user) { copy(user, node.size); }
  void part(const ProgramNode&, const Block&, User user, Bytes lo, Bytes hi) { copy(user + lo, hi - lo); }

  void whole(const ProgramNode&, const Loop& loop, User user) { repeat(loop.count, loop.stride, *loop.child, user); }
  void part(const ProgramNode&, const Loop& loop, User user, Bytes lo, Bytes hi) {
    repeat_part(loop.count, loop.stride, *loop.child, user, lo, hi);
  }

  void whole(const ProgramNode&, const BlockIndexed& list, User user) { some(list, 0, list.offsets.size(), user); }
  void part(const ProgramNode&, const BlockIndexed& list, User user, Bytes lo, Bytes hi) {
    const ProgramNode& child = *list.child;
    Count first = lo / child.size;
    const Count last = hi / child.size;
    const Bytes head = lo % child.size;
    const Bytes tail = hi % child.size;
    if (first == last) return part(child, user + list.offsets[first], head, tail);
    if (head > 0) {
      part(child, user + list.offsets[first], head, child.size);
      ++first;
    }
    if (last > first) some(list, first, last, user);
    if (tail > 0) part(child, user + list.offsets[last], 0, tail);
  }
  /// Entries first ... last-1 of the list.
  void some(const BlockIndexed& list, Count first, Count last, User user) {
    const ProgramNode& child = *list.child;
    const Count n = last - first;
    if (child.contiguous()) {
      list.offsets.with([&](const auto* offsets) { Operation::blocks(user, packed_, offsets + first, n, child.size); });
      packed_ += n * child.size;
    } else if (const kernel::Record* record = child.record(); record && in_passes(*record, n, Operation::direction)) {
      list.offsets.with([&](const auto* offsets) { Operation::records_at(user, packed_, *record, offsets + first, n); });
      packed_ += n * child.size;
    } else {
      for (Count i = first; i < last; ++i) whole(child, user + list.offsets[i]);
    }
  }

  void whole(const ProgramNode& node, const Indexed& list, User user) {
    if (list.units.size() > 0) return some_units(list, 0, list.units.size(), user);
    some(list, 0, list.offsets.size(), node.size, user);
  }
  void part(const ProgramNode&, const Indexed& list, User user, Bytes lo, Bytes hi) {
    if (list.units.size() > 0) return part_in_units(list, user, lo, hi);
    const auto from = piece_at(list, lo);
    const auto to = piece_at(list, hi - 1);  // the last piece touched, and its last byte
    if (from.piece == to.piece) return copy(user + list.offsets[from.piece] + from.into, hi - lo);
    Bytes middle = hi - lo;
    Count first = from.piece;
    if (from.into > 0) {
      const Bytes head = list.lengths[first] - from.into;
      copy(user + list.offsets[first] + from.into, head);
      middle -= head;
      ++first;
    }
    const bool cut = to.into + 1 < list.lengths[to.piece];
    const Count last = cut ? to.piece : to.piece + 1;
    if (cut) middle -= to.into + 1;
    if (last > first) some(list, first, last, middle, user);
    if (cut) copy(user + list.offsets[to.piece], to.into + 1);
  }
  void some(const Indexed& list, Count first, Count last, Bytes bytes, User user) {
    list.offsets.with([&](const auto* offsets) {
      list.lengths.with(
          [&](const auto* lengths) { Operation::pieces(user, packed_, offsets + first, lengths + first, last - first); });
    });
    packed_ += bytes;
  }

  void part_in_units(const Indexed& list, User user, Bytes lo, Bytes hi) {
    const Bytes unit = list.unit;
    Count first = lo / unit;
    const Count last = hi / unit;
    const Bytes head = lo % unit;
    const Bytes tail = hi % unit;
    if (first == last) return copy(user + list.units[first] + head, hi - lo);
    if (head > 0) copy(user + list.units[first++] + head, unit - head);
    if (last > first) some_units(list, first, last, user);
    if (tail > 0) copy(user + list.units[last], tail);
  }
  void some_units(const Indexed& list, Count first, Count last, User user) {
    list.units.with([&](const auto* offsets) { Operation::blocks(user, packed_, offsets + first, last - first, list.unit); });
    packed_ += (last - first) * list.unit;
  }

  void whole(const ProgramNode&, const Struct& sequence, User user) {
    for (const Placed& child : sequence.children) whole(*child.node, user + child.offset);
  }
  void part(const ProgramNode&, const Struct& sequence, User user, Bytes lo, Bytes hi) {
    for (std::size_t i = child_at(sequence, lo); lo < hi; ++i) {
      const Placed& child = sequence.children[i];
      const Bytes start = sequence.packed_at[i];
      const Bytes end = std::min(hi, start + child.node->size);
      part(*child.node, user + child.offset, lo - start, end - start);
      lo = end;
    }
  }

  typename Operation::Packed packed_;
};

template <class Operation>
void move_all(const Layout& layout, Count count, typename Operation::User user, typename Operation::Packed packed) {
  if (count <= 0 || !layout.node()) return;
  const ProgramNode& root = *layout.node();
  user += layout.root().offset;
  if (count == 1) return Walk<Operation>(packed).whole(root, user);
  Walk<Operation>(packed).repeat(count, layout.extent(), root, user);
}

template <class Operation>
void move_range(const Layout& layout, Count count, typename Operation::User user, Bytes from, Bytes length,
                typename Operation::Packed packed) {
  const Bytes size = times(count, layout.size());
  if (from < 0 || length < 0 || from > size || length > size - from) {
    throw std::out_of_range("layout: packed range leaves the message");
  }
  if (length == 0) return;
  Walk<Operation>(packed).repeat_part(count, layout.extent(), *layout.node(), user + layout.root().offset, from, from + length);
}

}  // namespace

void pack(const Layout& layout, Count count, const void* base, void* out) {
  move_all<Packing>(layout, count, static_cast<const std::byte*>(base), static_cast<std::byte*>(out));
}
void unpack(const Layout& layout, Count count, void* base, const void* in) {
  move_all<Unpacking>(layout, count, static_cast<std::byte*>(base), static_cast<const std::byte*>(in));
}
void pack_range(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out) {
  move_range<Packing>(layout, count, static_cast<const std::byte*>(base), from, length, static_cast<std::byte*>(out));
}
void unpack_range(const Layout& layout, Count count, void* base, Bytes from, Bytes length, const void* in) {
  move_range<Unpacking>(layout, count, static_cast<std::byte*>(base), from, length, static_cast<const std::byte*>(in));
}

}  // namespace heddle::layout
