// layout/program_node.cpp: makes and compares nodes, and finds the child at an offset.
#include "layout/program_node.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "layout/kernel/repeated_pieces.hpp"

namespace heddle::layout {

Integers::Integers(const std::vector<Bytes>& values) : size_(static_cast<Count>(values.size())) {
  const auto fits = [](Bytes v) { return v >= INT32_MIN && v <= INT32_MAX; };
  if (std::all_of(values.begin(), values.end(), fits)) {
    narrow_.reserve(values.size());
    for (const Bytes v : values) narrow_.push_back(static_cast<std::int32_t>(v));
  } else {
    wide_ = values;
  }
}

namespace {

class Flattener {
 public:
  void add(const ProgramNode& node, Bytes base) {
    std::visit([&](const auto& form) { visit(node, form, base); }, node.form);
  }
  std::vector<kernel::Piece> take() { return std::move(pieces_); }

 private:
  void piece(Bytes offset, Bytes length) {
    // The end of a repetition may touch the start of the next: they become one piece.
    if (!pieces_.empty() && pieces_.back().offset + pieces_.back().length == offset) {
      pieces_.back().length += static_cast<std::int32_t>(length);
    } else {
      pieces_.push_back(
          {static_cast<std::int32_t>(offset), static_cast<std::int32_t>(packed_), static_cast<std::int32_t>(length)});
    }
    packed_ += length;
  }
  void visit(const ProgramNode& node, const Block&, Bytes base) { piece(base, node.size); }
  void visit(const ProgramNode&, const Loop& loop, Bytes base) {
    for (Count i = 0; i < loop.count; ++i) add(*loop.child, base + i * loop.stride);
  }
  void visit(const ProgramNode&, const BlockIndexed& list, Bytes base) {
    for (Count i = 0; i < list.offsets.size(); ++i) add(*list.child, base + list.offsets[i]);
  }
  void visit(const ProgramNode&, const Indexed& list, Bytes base) {
    for (Count i = 0; i < list.offsets.size(); ++i) piece(base + list.offsets[i], list.lengths[i]);
  }
  void visit(const ProgramNode&, const Struct& sequence, Bytes base) {
    for (const Placed& child : sequence.children) add(*child.node, base + child.offset);
  }

  std::vector<kernel::Piece> pieces_;
  Bytes packed_ = 0;
};

/// Compares two programs. Nodes are shared, so a plain walk would visit a child once for each path
/// to it. With struct(X, ..., X) that doubles with every level. So the comparison remembers equal
/// children of structs, and the work is bounded by the number of nodes. The first difference ends
/// the comparison.
class Comparison {
 public:
  bool same(const ProgramNode& a, const ProgramNode& b) {
    if (&a == &b) return true;
    if (a.size != b.size || a.blocks != b.blocks || a.low != b.low || a.high != b.high || a.depth != b.depth ||
        a.form.index() != b.form.index())
      return false;
    return std::visit([&](const auto& form) { return same_form(form, std::get<std::decay_t<decltype(form)>>(b.form)); },
                      a.form);
  }

 private:
  static bool same_form(const Block&, const Block&) { return true; }
  bool same_form(const Loop& a, const Loop& b) {
    return a.count == b.count && a.stride == b.stride && same(*a.child, *b.child);
  }
  bool same_form(const BlockIndexed& a, const BlockIndexed& b) { return a.offsets == b.offsets && same(*a.child, *b.child); }
  static bool same_form(const Indexed& a, const Indexed& b) { return a.offsets == b.offsets && a.lengths == b.lengths; }
  bool same_form(const Struct& a, const Struct& b) {
    return std::ranges::equal(a.children, b.children, [this](const Placed& x, const Placed& y) {
      return x.offset == y.offset && same_child(*x.node, *y.node);
    });
  }

  bool same_child(const ProgramNode& a, const ProgramNode& b) {
    if (a.contiguous() || &a == &b) return same(a, b);
    const std::pair<const ProgramNode*, const ProgramNode*> both{&a, &b};
    if (equal_.contains(both)) return true;
    if (!same(a, b)) return false;
    equal_.insert(both);
    return true;
  }

  std::set<std::pair<const ProgramNode*, const ProgramNode*>> equal_;
};

}  // namespace

LazyRecord::~LazyRecord() { delete made_.load(std::memory_order_acquire); }

const kernel::Record* LazyRecord::make(const ProgramNode& node) const noexcept try {
  using kernel::Record;
  if (node.contiguous() || node.blocks > Record::max_pieces || node.high - node.low > Record::max_span) return nullptr;
  if (node.size > Record::max_span) return nullptr;  // pieces may overlap, so the packed form can be larger than the span
  Flattener flattener;
  flattener.add(node, 0);
  auto mine = std::make_unique<const Record>(flattener.take());
  const Record* made = nullptr;
  if (made_.compare_exchange_strong(made, mine.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    made = mine.release();
  return made;
} catch (const std::bad_alloc&) {
  return nullptr;
}

PieceAt piece_at(const Indexed& list, Bytes packed) {
  const auto next = std::upper_bound(list.packed_at.begin(), list.packed_at.end(), packed);
  const auto group = static_cast<Count>(next - list.packed_at.begin()) - 1;
  Count piece = group * Indexed::milestone;
  Bytes into = packed - list.packed_at[static_cast<std::size_t>(group)];
  while (piece < list.lengths.size() - 1 && into >= list.lengths[piece]) into -= list.lengths[piece++];
  return {piece, into};
}

std::size_t child_at(const Struct& sequence, Bytes packed) {
  const auto next = std::upper_bound(sequence.packed_at.begin(), sequence.packed_at.end(), packed);
  return static_cast<std::size_t>(next - sequence.packed_at.begin()) - 1;
}

bool same(const ProgramNode& a, const ProgramNode& b) { return Comparison().same(a, b); }

bool same(const NodePtr& a, const NodePtr& b) { return a == b || (a && b && same(*a, *b)); }

}  // namespace heddle::layout
