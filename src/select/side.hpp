// select/side.hpp: one end of a message, as numbers for the choice of a scheme.
//
//   const Statistics of_type(layout);           // once for each datatype: walks its program
//   const Side side = of_type.of(count);        // for each message: a few multiplications
#pragma once

#include "layout/layout.hpp"

namespace heddle::select {

using layout::Bytes;
using layout::Count;

/// The program's buffer at one end.
struct Side {
  bool known = false;          ///< False: an unknown receiver, assumed to be like the sender.
  bool contiguous = false;     ///< One piece.
  bool transposed = false;     ///< The packed order is not memory order: an inner step is larger than an outer step.
  Count blocks = 0;            ///< Contiguous pieces.
  Count lines = 0;             ///< Cache lines of 64 bytes that the blocks touch.
  double mean_block = 0;       ///< Bytes.
  Bytes median_block = 0;      ///< Bytes.
  double deviation_block = 0;  ///< Standard deviation, bytes.
  Bytes largest_block = 0;     ///< Bytes.

  /// `bytes` in one piece.
  static Side one_piece(Bytes bytes) noexcept;
  /// `bytes` in separate blocks of `block` bytes.
  static Side blocks_of(Bytes bytes, Bytes block) noexcept;
};

/// A datatype: the numbers of one element, and the additions of each further element (elements may
/// share lines, or join).
class Statistics {
 public:
  Statistics() = default;
  /// Takes time in proportion to the layout's program: it walks index lists, but not loops.
  explicit Statistics(const layout::Layout& layout);

  [[nodiscard]] Side of(Count count) const noexcept;
  [[nodiscard]] Bytes size() const noexcept { return size_; }

 private:
  Bytes size_ = 0;
  Bytes extent_ = 0;
  Bytes true_extent_ = 0;
  Side one_;
  Side two_;
  double more_lines_ = 0;  // for each further element
};

}  // namespace heddle::select
