// layout/kernel/repeated_pieces.cpp: cuts a record into steps of 64 bytes, once for each type.
//
//   memory   aaaaaaaaaaaa....bbbbbbbb........cc......      one window of 64 bytes, loaded under a mask
//   packed   aaaaaaaaaaaabbbbbbbbcc                        one permute, one store
#include "layout/kernel/repeated_pieces.hpp"

#include <algorithm>

namespace heddle::layout::kernel {
namespace {

constexpr std::int32_t window = 64;

/// Bytes [low, high) of one side that a step uses so far.
struct Window {
  std::int32_t low = 0, high = 0;

  bool take(std::int32_t at) {
    if (low == high) {
      low = at;
      high = at + 1;
      return true;
    }
    const std::int32_t new_low = std::min(low, at), new_high = std::max(high, at + 1);
    if (new_high - new_low > window) return false;
    low = new_low;
    high = new_high;
    return true;
  }
};

/// A byte: its offsets in memory and in the packed record.
struct Byte {
  std::int32_t memory, packed;
};

/// A step without a permute, for a piece that is too long for a window, or that one plain move
/// copies.
Step plain_copy(const Byte& first, std::int32_t length, bool gather) {
  Step step{};
  step.in_a = gather ? first.memory : first.packed;
  step.out = gather ? first.packed : first.memory;
  step.length = length;
  return step;
}

bool one_move(std::span<const Byte> bytes) {
  const std::size_t n = bytes.size();
  if (n != 8 && n != 16 && n != 32 && n != 64) return false;
  for (std::size_t i = 1; i < n; ++i)
    if (bytes[i].memory != bytes[i - 1].memory + 1) return false;  // fields may have any order
  return true;
}

Step shuffle(std::span<const Byte> bytes, const Window& a, const Window& b, const Window& out, bool gather) {
  Step step{};
  step.in_a = a.low;
  step.in_b = b.low == b.high ? a.low : b.low;
  step.out = out.low;
  for (const Byte& byte : bytes) {
    const std::int32_t from = gather ? byte.memory : byte.packed;
    const std::int32_t to = (gather ? byte.packed : byte.memory) - out.low;
    const bool in_a = from >= a.low && from < a.high;
    const std::int32_t at = from - (in_a ? a.low : b.low);
    (in_a ? step.mask_a : step.mask_b) |= std::uint64_t{1} << at;
    step.mask_out |= std::uint64_t{1} << to;
    step.index[to] = static_cast<std::uint8_t>(in_a ? at : window + at);
  }
  return step;
}

/// A greedy cut: a step takes bytes in packed order while they fit its windows.
std::vector<Step> steps(std::span<const Piece> pieces, bool gather) {
  std::vector<Step> result;
  std::vector<Byte> bytes;
  Window a, b, out;
  const auto finish = [&] {
    if (one_move(bytes))
      result.push_back(plain_copy(bytes.front(), static_cast<std::int32_t>(bytes.size()), gather));
    else if (!bytes.empty())
      result.push_back(shuffle(bytes, a, b, out, gather));
    bytes.clear();
    a = b = out = {};
  };
  for (const Piece& piece : pieces) {
    if (piece.length > window) {
      finish();
      result.push_back(plain_copy({piece.offset, piece.packed}, piece.length, gather));
      continue;
    }
    for (std::int32_t i = 0; i < piece.length; ++i) {
      const Byte byte{piece.offset + i, piece.packed + i};
      const std::int32_t from = gather ? byte.memory : byte.packed, to = gather ? byte.packed : byte.memory;
      const Window saved = out;
      if (!out.take(to) || (!(b.low == b.high && a.take(from)) && !b.take(from))) {
        out = saved;
        finish();
        out.take(to);
        a.take(from);
      }
      bytes.push_back(byte);
    }
  }
  finish();
  return result;
}

}  // namespace

Record::Record(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  if (pieces_.empty()) return;
  low_ = high_ = pieces_.front().offset;
  for (const Piece& piece : pieces_) {
    low_ = std::min<Bytes>(low_, piece.offset);
    high_ = std::max<Bytes>(high_, Bytes{piece.offset} + piece.length);
    size_ += piece.length;
  }
  gather_ = steps(pieces_, true);
  scatter_ = steps(pieces_, false);
}

RecordPlan Record::plan() const {
  return {pieces_.data(),  static_cast<Count>(pieces_.size()), gather_.data(),
          scatter_.data(), static_cast<Count>(gather_.size()), static_cast<Count>(scatter_.size()),
          size_,           static_cast<std::int32_t>(low_),    static_cast<std::int32_t>(high_)};
}

}  // namespace heddle::layout::kernel
