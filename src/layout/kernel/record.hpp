// layout/kernel/record.hpp: a few pieces that are packed again and again (the fields of a struct, the elements of a cell).
// Includes bytes.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/bytes.hpp"

namespace heddle::layout::kernel {

/// One contiguous piece of a record.
struct Piece {
  std::int32_t offset;  ///< In memory, from the record's placement; may be negative.
  std::int32_t packed;  ///< In the packed record.
  std::int32_t length;
};

class Record {
 public:
  static constexpr Count max_pieces = 64;
  static constexpr Bytes max_span = 1 << 20;  ///< High minus low: offsets fit 32 bits with room to spare.

  explicit Record(std::vector<Piece> pieces);

  [[nodiscard]] std::span<const Piece> pieces() const { return pieces_; }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] Bytes low() const { return low_; }
  [[nodiscard]] Bytes high() const { return high_; }

 private:
  std::vector<Piece> pieces_;
  Bytes size_ = 0;
  Bytes low_ = 0;
  Bytes high_ = 0;
};

}  // namespace heddle::layout::kernel
