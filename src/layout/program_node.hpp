// layout/program_node.hpp: the canonical program. Nodes are immutable and shared, and do not know
// their placement. Users of layout/ include layout.hpp instead.
//
//   Block            len                            one contiguous piece
//   Loop             count, stride, child           the child at 0, stride, 2·stride, ...
//   BlockIndexed     offsets, child                 the same child at each offset
//   Indexed          offsets, lengths               contiguous pieces of different lengths
//   Struct           (offset, child) ...            different children, in packed order
//
// Only rewrite.hpp makes nodes, and it keeps this normal form. The first byte in packed order is at
// offset 0: displacements are hoisted to the parent, finally to the Layout's origin. No node is
// empty. A Loop has count >= 2. An Indexed has unequal lengths. A Struct has at least two children,
// and not only Blocks. No node has more than max_depth levels, so walks over nodes may be recursive
// even on small stacks.
#pragma once

#include <atomic>
#include <memory>
#include <variant>
#include <vector>

#include "layout/bytes.hpp"
#include "layout/prepared.hpp"

namespace heddle::layout {

namespace kernel {
class Record;
}

/// Most levels of a program. Except in long structs, each level repeats its child at least twice,
/// so 32 levels of single bytes are 4 GiB.
constexpr int max_depth = 32;

struct ProgramNode;
using NodePtr = std::shared_ptr<const ProgramNode>;

/// A child at a displacement. A null node means no bytes.
struct Placed {
  Bytes offset = 0;
  NodePtr node;
};

/// A list of displacements or lengths. It is kept in 32 bits if all fit, which halves the memory
/// traffic of a gather.
class Integers {
 public:
  Integers() = default;
  explicit Integers(const std::vector<Bytes>& values);

  [[nodiscard]] Count size() const { return size_; }
  [[nodiscard]] bool narrow() const { return wide_.empty(); }
  [[nodiscard]] const std::int32_t* narrow_data() const { return narrow_.data(); }
  [[nodiscard]] const std::int64_t* wide_data() const { return wide_.data(); }
  Bytes operator[](Count i) const {
    return narrow() ? narrow_[static_cast<std::size_t>(i)] : wide_[static_cast<std::size_t>(i)];
  }
  bool operator==(const Integers&) const = default;

  /// Calls f with a pointer to the first value, of the stored width.
  template <class F>
  decltype(auto) with(F&& f) const {
    return narrow() ? f(narrow_data()) : f(wide_data());
  }

 private:
  Count size_ = 0;
  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
};

struct Block {};  // its length is the node's size
struct Loop {
  Count count;
  Bytes stride;
  NodePtr child;
};
struct BlockIndexed {
  Integers offsets;
  NodePtr child;
};
struct Indexed {
  static constexpr Count milestone = 64;  // pieces between two entries of `packed_at`
  Integers offsets;
  Integers lengths;
  std::vector<Bytes> packed_at;  // packed offsets of pieces 0, 64, 128, ...: a seek is a binary search and <= 63 steps
  // Short pieces that are multiples of one unit pack two to four times faster as a list of units.
  // Otherwise a few neighbours in a long list of single elements would make every element a piece
  // of unknown length.
  Bytes unit = 0;
  Integers units;  // offsets of the units, in order; empty if the pieces themselves are faster
};
struct Struct {
  std::vector<Placed> children;
  std::vector<Bytes> packed_at;  // packed offset of each child
};

using Form = std::variant<Block, Loop, BlockIndexed, Indexed, Struct>;

/// A node as a short list of pieces, made at the first call of get(). Any thread may call. A copy
/// makes its own record.
class LazyRecord {
 public:
  LazyRecord() = default;
  LazyRecord(const LazyRecord&) noexcept {}
  LazyRecord& operator=(const LazyRecord&) = delete;
  ~LazyRecord();

  /// Null if the node is no such list, or memory is short.
  [[nodiscard]] const kernel::Record* get(const ProgramNode& node) const noexcept {
    const kernel::Record* made = made_.load(std::memory_order_acquire);
    return made ? made : make(node);
  }

 private:
  const kernel::Record* make(const ProgramNode& node) const noexcept;
  mutable std::atomic<const kernel::Record*> made_{nullptr};
};

struct ProgramNode {
  Bytes size = 0;    ///< Packed bytes.
  Count blocks = 0;  ///< Contiguous pieces.
  Bytes low = 0;     ///< First byte touched, relative to the placement; <= 0.
  Bytes high = 0;    ///< One past the last byte touched.
  int depth = 1;     ///< Levels of the program from this node down.
  Form form;
  Lazy packing, unpacking;  ///< Prepared steps that move the whole node.
  LazyRecord pieces;        ///< Pieces for the inner loops if the node is repeated.

  [[nodiscard]] bool contiguous() const { return std::holds_alternative<Block>(form); }
  /// The node as a record if it has a few pieces, but more than one; otherwise null.
  [[nodiscard]] const kernel::Record* record() const noexcept { return pieces.get(*this); }
};

/// The piece of an Indexed node that holds packed byte `packed`, and the offset within the piece.
struct PieceAt {
  Count piece;
  Bytes into;
};
PieceAt piece_at(const Indexed& list, Bytes packed);
/// The child of a Struct node that holds packed byte `packed`.
std::size_t child_at(const Struct& sequence, Bytes packed);

/// True if both programs are equal in structure. The objects may differ.
bool same(const ProgramNode& a, const ProgramNode& b);
bool same(const NodePtr& a, const NodePtr& b);

}  // namespace heddle::layout
