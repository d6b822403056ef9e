// layout/layout.hpp: what the bytes of a datatype look like, whatever constructor made it. No MPI
// in here. Room: datatype constructors (MPI-5.0 chapter 5) in, canonical programs out.
//
//   Layout column = vector(1024, 1, 1024, basic(8));          // a column of a 1024 x 1024 matrix of doubles
//   Layout matrix = contiguous(1024, resized(column, 0, 8));  // the transposed matrix
//   pack(matrix, 1, base, out);                               // pack.hpp
//
// Two layouts that describe the same bytes in the same order compare equal when they are regular:
//   vector(4, 2, 5, basic(8)) == subarray({4, 5}, {4, 2}, {0, 0}, Order::c, basic(8))     up to extent, see same_bytes
#pragma once

#include <span>
#include <string>

#include "layout/node.hpp"

namespace heddle::layout {

/// Bounds that MPI_Type_create_resized (or subarray, darray) set: in a struct they overrule natural ones (MPI-5.0 §5.1.7).
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
  [[nodiscard]] const Node* node() const { return root_.node.get(); }

  /// One piece without holes, for any count: packing is a memcpy from base + root().offset.
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

/// The same bytes in the same order, whatever the bounds.
bool same_bytes(const Layout& a, const Layout& b);

// --- Constructors, one for each of MPI's. Counts and lengths >= 0 (std::invalid_argument); strides and displacements
// in elements of `old` unless the name starts with h (bytes). Sizes beyond 64 bits, programs of more than max_depth levels:
// std::overflow_error.

/// A predefined type of `size` bytes; alignment 0 means the largest power of two that divides size, at most 16.
Layout basic(Bytes size, Bytes alignment = 0);
Layout contiguous(Count count, const Layout& old);
Layout vector(Count count, Count blocklength, Count stride, const Layout& old);
Layout hvector(Count count, Count blocklength, Bytes stride, const Layout& old);
Layout indexed(std::span<const Count> blocklengths, std::span<const Count> displacements, const Layout& old);
Layout hindexed(std::span<const Count> blocklengths, std::span<const Bytes> displacements, const Layout& old);
Layout indexed_block(Count blocklength, std::span<const Count> displacements, const Layout& old);
Layout hindexed_block(Count blocklength, std::span<const Bytes> displacements, const Layout& old);
/// The extent is rounded up to the strictest alignment of the members, as C compilers do (MPI-5.0 §5.1.6).
Layout structure(std::span<const Count> blocklengths, std::span<const Bytes> displacements, std::span<const Layout> olds);
/// The same by pointers to the members.
Layout structure(std::span<const Count> blocklengths, std::span<const Bytes> displacements,
                 std::span<const Layout* const> olds);
Layout resized(const Layout& old, Bytes lower_bound, Bytes extent);

enum class Order { c, fortran };
/// A box of a `sizes` array; all three spans have the array's dimensions. A box that leaves it: std::invalid_argument.
Layout subarray(std::span<const Count> sizes, std::span<const Count> subsizes, std::span<const Count> starts, Order order,
                const Layout& old);

enum class Distribution { none, block, cyclic };
constexpr Count default_argument = -1;  // MPI_DISTRIBUTE_DFLT_DARG
/// What rank `rank` of `ranks` owns of a distributed array (MPI-5.0 §5.1.4), the process grid in C order.
Layout darray(Count ranks, Count rank, std::span<const Count> sizes, std::span<const Distribution> distributions,
              std::span<const Count> arguments, std::span<const Count> grid, Order order, const Layout& old);

/// The canonical program as text: "loop 1024 × 8 B { loop 1024 × 8192 B { block 8 } }".
std::string describe(const Layout& layout);

}  // namespace heddle::layout
