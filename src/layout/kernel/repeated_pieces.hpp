// layout/kernel/repeated_pieces.hpp: a few pieces that are packed many times (the fields of a
// struct, the elements of a cell).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "layout/bytes.hpp"

namespace heddle::layout::kernel {

/// One contiguous piece of a record.
struct Piece {
  std::int32_t offset;  ///< Offset in memory from the record's placement; may be negative.
  std::int32_t packed;  ///< Offset in the packed record.
  std::int32_t length;
};

/// A step of a record on processors with byte permutes. It puts up to 64 bytes together from two
/// 64-byte windows of the source. Byte i of the result is byte index[i] of the concatenated
/// windows. Only masked bytes are touched. A step with a `length` is a plain copy instead.
struct alignas(64) Step {
  std::uint8_t index[64];
  std::uint64_t mask_a, mask_b, mask_out;
  std::int32_t in_a, in_b, out;
  std::int32_t length;
};

/// A record in the form that kernels use.
struct RecordPlan {
  const Piece* pieces;
  Count piece_count;
  const Step *gather, *scatter;
  Count gather_count, scatter_count;
  Bytes size;
  std::int32_t low, high;
};

class Record {
 public:
  static constexpr Count max_pieces = 64;
  static constexpr Bytes max_span = 1 << 20;  ///< Limit of high - low, so that offsets fit 32 bits easily.

  explicit Record(std::vector<Piece> pieces);

  [[nodiscard]] std::span<const Piece> pieces() const { return pieces_; }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] Bytes low() const { return low_; }
  [[nodiscard]] Bytes high() const { return high_; }
  [[nodiscard]] RecordPlan plan() const;

 private:
  std::vector<Piece> pieces_;
  std::vector<Step> gather_;
  std::vector<Step> scatter_;
  Bytes size_ = 0;
  Bytes low_ = 0;
  Bytes high_ = 0;
};

}  // namespace heddle::layout::kernel
