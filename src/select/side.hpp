// select/side.hpp: one end of a message in the numbers by which a scheme is chosen. May include: layout/.
//
//   const Statistics of_type(layout);           // once for each datatype: walks its program
//   const Side side = of_type.of(count);        // for each message: a few multiplications
#pragma once

#include "layout/layout.hpp"

namespace heddle::select {

using layout::Bytes;
using layout::Count;

/// What the program sends or receives into.
struct Side {
  bool known = false;          ///< False: a receiver that has not been heard of; it is taken to be like the sender.
  bool contiguous = false;     ///< One piece.
  bool transposed = false;     ///< The packed order is not that of memory: some inner step is larger than one around it.
  Count blocks = 0;            ///< Contiguous pieces.
  Count lines = 0;             ///< Cache lines of 64 bytes that it touches.
  double mean_block = 0;       ///< Bytes.
  Bytes median_block = 0;      ///< Bytes.
  double deviation_block = 0;  ///< Standard deviation, bytes.
  Bytes largest_block = 0;     ///< Bytes.

  /// `bytes` in one piece.
  static Side one_piece(Bytes bytes) noexcept;
  /// `bytes` in blocks of so many, which lie apart.
  static Side blocks_of(Bytes bytes, Bytes block) noexcept;
};

/// A datatype: what one element looks like, and what each further one adds (elements may share lines, or join).
class Statistics {
 public:
  Statistics() = default;
  /// O(size of the layout's program): loops are not walked, index lists are.
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
