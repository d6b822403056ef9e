// select/side.cpp: computes the numbers of a side from layout::Shape.
#include "select/side.hpp"

#include <algorithm>
#include <cstdlib>

#include "layout/shape.hpp"

namespace heddle::select {
namespace {

/// True if an inner loop makes larger steps than a loop around it, as in a matrix that is sent by
/// columns.
bool transposed(const layout::ProgramNode* node) {
  Bytes around = 0;
  while (const auto* loop = node ? std::get_if<layout::Loop>(&node->form) : nullptr) {
    const Bytes step = std::llabs(loop->stride);
    if (around > 0 && step > around) return true;
    around = step;
    node = loop->child.get();
  }
  return false;
}

Side side(const layout::Layout& layout, Count count) {
  const layout::Shape shape = layout::shape(layout, count);
  return {.known = true,
          .contiguous = shape.blocks <= 1,
          .transposed = transposed(layout.repeated(count).node.get()),
          .blocks = shape.blocks,
          .lines = shape.lines,
          .mean_block = shape.mean_block,
          .median_block = shape.median_block,
          .deviation_block = shape.deviation_block,
          .largest_block = shape.largest_block};
}

constexpr Count most = INT64_MAX;
constexpr Count many = 65;

/// first + more · times, or the largest number there is.
Count grown(Count first, Count more, Count times) noexcept {
  Count sum = 0;
  if (__builtin_mul_overflow(more, times, &sum) || __builtin_add_overflow(sum, first, &sum)) return most;
  return std::max<Count>(sum, 1);
}

}  // namespace

Side Side::one_piece(Bytes bytes) noexcept {
  return {.known = true,
          .contiguous = true,
          .blocks = 1,
          .lines = (bytes + 63) / 64,
          .mean_block = static_cast<double>(bytes),
          .median_block = bytes,
          .largest_block = bytes};
}

Side Side::blocks_of(Bytes bytes, Bytes block) noexcept {
  block = std::clamp<Bytes>(block, 1, std::max<Bytes>(bytes, 1));
  const Count blocks = (bytes + block - 1) / block;
  return {.known = true,
          .contiguous = blocks == 1,
          .blocks = blocks,
          .lines = std::max((bytes + 63) / 64, blocks),
          .mean_block = static_cast<double>(block),
          .median_block = block,
          .largest_block = block};
}

Statistics::Statistics(const layout::Layout& layout)
    : size_(layout.size()),
      extent_(std::llabs(layout.extent())),
      true_extent_(layout.true_extent()),
      one_(side(layout, 1)),
      two_(side(layout, 2)),
      // Elements shorter than a line share lines with their neighbours. The mean over many elements
      // counts these right.
      more_lines_(static_cast<double>(layout::shape(layout, many).lines - one_.lines) / (many - 1)) {}

Side Statistics::of(Count count) const noexcept {
  if (count <= 1) return one_;
  Side side = two_;
  side.blocks = grown(two_.blocks, two_.blocks - one_.blocks, count - 2);
  if (side.contiguous) return Side::one_piece(grown(0, size_, count));
  // Columns side by side share lines. There are never more lines than from the first byte to the
  // last.
  const Count span = grown(true_extent_, extent_, count - 1) / 64 + 1;
  const double lines = static_cast<double>(one_.lines) + more_lines_ * static_cast<double>(count - 1);
  side.lines = lines < static_cast<double>(span) ? static_cast<Count>(lines) : span;
  side.mean_block = static_cast<double>(size_) * static_cast<double>(count) / static_cast<double>(side.blocks);
  return side;
}

}  // namespace heddle::select
