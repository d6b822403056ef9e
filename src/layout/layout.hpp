// layout/layout.hpp: the layout of a datatype's bytes in memory, independent of its constructor.
// The room turns datatype constructors (MPI-5.0 chapter 5) into canonical programs. No MPI in here.
//
//   Layout column = vector(1024, 1, 1024, basic(8));          // a column of a 1024 x 1024 matrix of doubles
//   Layout matrix = contiguous(1024, resized(column, 0, 8));  // the transposed matrix
//   pack(matrix, 1, base, out);                               // pack.hpp
//
// Two regular layouts of the same bytes in the same order compare equal:
//   vector(4, 2, 5, basic(8)) == subarray({4, 5}, {4, 2}, {0, 0}, Order::c, basic(8))     up to extent, see same_bytes
#pragma once

#include <span>
#include <string>

#include "layout/program_node.hpp"

namespace heddle::layout {

/// Tells which bounds come from MPI_Type_create_resized (or subarray, darray). In a struct, such
/// bounds overrule natural ones (MPI-5.0 §5.1.7).
struct Marks {
  bool lower = false;
  bool upper = false;
};

class Layout {
 public:
  Layout() = default;
  Layout(Placed root, Bytes lower_bound, Bytes extent, Bytes alignment, Marks marks = {});

  [[nodiscard]] Bytes size() const { return root_.node ? root_.node->size : 0; }
  [[nodiscard]] Bytes lower_bound() const { return lower_bound_; }
  [[nodiscard]] Bytes extent() const { return extent_; }
  [[nodiscard]] Bytes upper_bound() const { return lower_bound_ + extent_; }
  [[nodiscard]] Bytes true_lower_bound() const { return root_.node ? root_.offset + root_.node->low : 0; }
  [[nodiscard]] Bytes true_extent() const { return root_.node ? root_.node->high - root_.node->low : 0; }
  [[nodiscard]] Bytes alignment() const { return alignment_; }
  [[nodiscard]] Marks marks() const { return marks_; }
  [[nodiscard]] const Placed& root() const { return root_; }
  [[nodiscard]] const ProgramNode* node() const { return root_.node.get(); }

  /// True if any count of elements is one piece without holes. Packing is then a memcpy from
  /// base + root().offset.
  [[nodiscard]] bool dense() const { return !root_.node || (root_.node->contiguous() && extent_ == size()); }

  /// The program of `count` elements, one extent apart.
  [[nodiscard]] Placed repeated(Count count) const;

 private:
  Placed root_;
  Bytes lower_bound_ = 0;
  Bytes extent_ = 0;
  Bytes alignment_ = 1;
  Marks marks_;
};

/// True if both have the same bytes in the same order. Bounds may differ.
bool same_bytes(const Layout& a, const Layout& b);

// --- Constructors, one for each of MPI's. Negative counts and lengths throw std::invalid_argument.
// Strides and displacements are in elements of `old`, or in bytes if the name starts with h. Sizes
// beyond 64 bits, and programs of more than max_depth levels, throw std::overflow_error.

/// A predefined type of `size` bytes; alignment 0 means the largest power of two that divides size,
/// at most 16.
Layout basic(Bytes size, Bytes alignment = 0);
Layout contiguous(Count count, const Layout& old);
Layout vector(Count count, Count blocklength, Count stride, const Layout& old);
Layout hvector(Count count, Count blocklength, Bytes stride, const Layout& old);
Layout indexed(std::span<const Count> blocklengths, std::span<const Count> displacements, const Layout& old);
Layout hindexed(std::span<const Count> blocklengths, std::span<const Bytes> displacements, const Layout& old);
Layout indexed_block(Count blocklength, std::span<const Count> displacements, const Layout& old);
Layout hindexed_block(Count blocklength, std::span<const Bytes> displacements, const Layout& old);
/// The extent is rounded up to the strictest alignment of the members, as C compilers do (MPI-5.0
/// §5.1.6).
Layout structure(std::span<const Count> blocklengths, std::span<const Bytes> displacements, std::span<const Layout> olds);
/// Like the function above, with pointers to the members.
Layout structure(std::span<const Count> blocklengths, std::span<const Bytes> displacements,
                 std::span<const Layout* const> olds);
Layout resized(const Layout& old, Bytes lower_bound, Bytes extent);

enum class Order { c, fortran };
/// A box of an array of `sizes`. All three spans have an entry for each dimension. A box that
/// leaves the array throws std::invalid_argument.
Layout subarray(std::span<const Count> sizes, std::span<const Count> subsizes, std::span<const Count> starts, Order order,
                const Layout& old);

enum class Distribution { none, block, cyclic };
constexpr Count default_argument = -1;  // MPI_DISTRIBUTE_DFLT_DARG
/// The part of a distributed array that `rank` of `ranks` owns (MPI-5.0 §5.1.4). The process grid
/// is in C order.
Layout darray(Count ranks, Count rank, std::span<const Count> sizes, std::span<const Distribution> distributions,
              std::span<const Count> arguments, std::span<const Count> grid, Order order, const Layout& old);

/// The canonical program as text: "loop 1024 × 8 B { loop 1024 × 8192 B { block 8 } }".
std::string describe(const Layout& layout);

}  // namespace heddle::layout
