// layout/transfer.cpp: 1. One side dense: a pack or an unpack. 2. Two loop nests: zipped. 3. Long
// pieces: one by one.
// 4. Anything else: through a stage in the first-level cache, part by part.
#include "layout/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include "layout/cursor.hpp"
#include "layout/kernel/kernels.hpp"
#include "layout/pack.hpp"

namespace heddle::layout {
namespace {

/// A loop nest around one block, innermost level first.
struct Nest {
  struct Level {
    Count count;
    Bytes stride;
  };
  std::array<Level, kernel::max_dims> levels;
  std::size_t depth = 0;
  Bytes block = 0;
};

std::optional<Nest> as_nest(const Layout& layout, Count count) {
  Nest nest;
  const auto push = [&](Count n, Bytes stride) {
    if (n > 1) nest.levels[nest.depth++] = {n, stride};
  };
  push(count, layout.extent());
  const ProgramNode* node = layout.node();
  while (const auto* loop = std::get_if<Loop>(&node->form)) {
    if (nest.depth + 1 == nest.levels.size()) return std::nullopt;  // one level stays free for split_block()
    push(loop->count, loop->stride);
    node = loop->child.get();
  }
  if (!node->contiguous()) return std::nullopt;
  nest.block = node->size;
  std::reverse(nest.levels.begin(), nest.levels.begin() + static_cast<std::ptrdiff_t>(nest.depth));
  return nest;
}

/// Cuts a nest's block into elements, by another innermost level.
void split_block(Nest& nest, Bytes element) {
  if (nest.block == element) return;
  std::copy_backward(nest.levels.begin(), nest.levels.begin() + static_cast<std::ptrdiff_t>(nest.depth),
                     nest.levels.begin() + static_cast<std::ptrdiff_t>(nest.depth) + 1);
  nest.levels[0] = {nest.block / element, element};
  nest.block = element;
  ++nest.depth;
}

/// Two nests in one, outermost level first.
struct Zipped {
  std::array<kernel::Dim, kernel::max_dims> dims;
  std::size_t depth = 0;
};

/// Both nests walk the packed stream in the same order. Level by level from the innermost, the
/// count of the shorter loop must divide that of the longer loop.
///
///   from  4 × 6 elements        (6: stride a, 4: stride b)
///   to    8 × 3 elements        (3: stride c, 8: stride d)
///   zip   3 (a, c), 2 (3a, d), 4 (b, 2d)
std::optional<Zipped> zip(const Nest& from, const Nest& to) {
  Zipped zipped;
  std::size_t f = 0;
  std::size_t t = 0;
  Nest::Level a = from.depth ? from.levels[0] : Nest::Level{1, 0};
  Nest::Level b = to.depth ? to.levels[0] : Nest::Level{1, 0};
  while (f < from.depth || t < to.depth) {
    const Count n = std::min(a.count, b.count);
    if (n < 2 || a.count % n != 0 || b.count % n != 0 || zipped.depth == zipped.dims.size()) return std::nullopt;
    zipped.dims[zipped.depth++] = {n, b.stride, a.stride};
    a = {a.count / n, a.stride * n};
    b = {b.count / n, b.stride * n};
    if (a.count == 1 && ++f < from.depth) a = from.levels[f];
    if (b.count == 1 && ++t < to.depth) b = to.levels[t];
  }
  std::reverse(zipped.dims.begin(), zipped.dims.begin() + static_cast<std::ptrdiff_t>(zipped.depth));
  return zipped;
}

bool zipped(const Layout& from, Count from_count, const std::byte* source, const Layout& to, Count to_count,
            std::byte* target) {
  auto a = as_nest(from, from_count);
  auto b = as_nest(to, to_count);
  if (!a || !b) return false;
  const Bytes element = std::gcd(a->block, b->block);
  split_block(*a, element);
  split_block(*b, element);
  const auto both = zip(*a, *b);
  if (!both) return false;
  kernel::nest(target + to.root().offset, source + from.root().offset, {both->dims.data(), both->depth}, element);
  return true;
}

/// Bytes. For pieces of this length, finding the next piece on both sides costs less than a second
/// copy.
constexpr Bytes long_piece = 256;

Bytes mean_piece(const Layout& layout) { return layout.size() / layout.node()->blocks; }

/// Copies, in each step, bytes that are in one piece on both sides.
void piece_by_piece(const Layout& from, Count from_count, const std::byte* source, const Layout& to, Count to_count,
                    std::byte* target, Bytes size) {
  Cursor out(from, from_count);
  Cursor in(to, to_count);
  while (size > 0) {
    const Segment there = in.next(std::min(size, out.peek().length));
    const Segment here = out.next(there.length);
    std::memcpy(target + there.offset, source + here.offset, static_cast<std::size_t>(here.length));
    size -= here.length;
  }
}

}  // namespace

void transfer(const Layout& from, Count from_count, const void* from_base, const Layout& to, Count to_count, void* to_base) {
  const Bytes size = std::min(times(from_count, from.size()), times(to_count, to.size()));
  if (size <= 0) return;
  const auto* source = static_cast<const std::byte*>(from_base);
  auto* target = static_cast<std::byte*>(to_base);
  if (to.dense()) return pack_range(from, from_count, source, 0, size, target + to.root().offset);
  if (from.dense()) return unpack_range(to, to_count, target, 0, size, source + from.root().offset);
  const bool equal = times(from_count, from.size()) == times(to_count, to.size());
  if (equal && zipped(from, from_count, source, to, to_count, target)) return;

  if (std::min(mean_piece(from), mean_piece(to)) >= long_piece)
    return piece_by_piece(from, from_count, source, to, to_count, target, size);

  constexpr Bytes stage_size = 16 << 10;  // half of a small L1 cache, so that the stage is read before it is evicted
  alignas(64) std::array<std::byte, stage_size> stage;
  for (Bytes at = 0; at < size; at += stage_size) {
    const Bytes bytes = std::min(stage_size, size - at);
    pack_range(from, from_count, source, at, bytes, stage.data());
    unpack_range(to, to_count, target, at, bytes, stage.data());
  }
}

}  // namespace heddle::layout
