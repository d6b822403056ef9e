// engine/file/view.cpp: seeking in a view, in both directions.
#include "engine/file/view.hpp"

#include <algorithm>
#include <utility>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"

namespace heddle::engine::files {
namespace {

using layout::Block;
using layout::BlockIndexed;
using layout::Indexed;
using layout::Loop;
using layout::Placed;
using layout::ProgramNode;
using layout::Struct;

/// The number of offsets in the list that are less than `offset`. The list is in order.
Count less(const layout::Integers& offsets, Bytes offset) {
  Count low = 0;
  Count high = offsets.size();
  while (low < high) {
    const Count middle = low + (high - low) / 2;
    (offsets[middle] < offset ? low : high) = offsets[middle] < offset ? middle + 1 : middle;
  }
  return low;
}

/// The number of bytes of an ordered node that lie before `offset`, an offset from its placement.
Bytes bytes_before(const ProgramNode& node, Bytes offset) {
  if (offset <= 0) return 0;
  if (offset >= node.high) return node.size;
  if (const auto* const loop = std::get_if<Loop>(&node.form)) {
    const Count whole = std::min(offset / loop->stride, loop->count - 1);
    return whole * loop->child->size + bytes_before(*loop->child, offset - whole * loop->stride);
  }
  if (const auto* const same = std::get_if<BlockIndexed>(&node.form)) {
    const Count last = less(same->offsets, offset) - 1;
    return last * same->child->size + bytes_before(*same->child, offset - same->offsets[last]);
  }
  if (const auto* const list = std::get_if<Indexed>(&node.form)) {
    const Count last = less(list->offsets, offset) - 1;
    Bytes packed = list->packed_at[static_cast<std::size_t>(last / Indexed::milestone)];
    for (Count i = last / Indexed::milestone * Indexed::milestone; i < last; ++i) packed += list->lengths[i];
    return packed + std::min(offset - list->offsets[last], list->lengths[last]);
  }
  if (const auto* const sequence = std::get_if<Struct>(&node.form)) {
    const auto after = std::partition_point(sequence->children.begin(), sequence->children.end(),
                                            [&](const Placed& child) { return child.offset < offset; });
    const auto last = static_cast<std::size_t>(after - sequence->children.begin()) - 1;
    const Placed& child = sequence->children[last];
    return sequence->packed_at[last] + bytes_before(*child.node, offset - child.offset);
  }
  return offset;  // a block
}

/// True: the bytes are in order of their offsets, and none is there twice.
bool ordered(const ProgramNode& node) {
  if (const auto* const loop = std::get_if<Loop>(&node.form)) return loop->stride >= loop->child->high && ordered(*loop->child);
  if (const auto* const same = std::get_if<BlockIndexed>(&node.form)) {
    for (Count i = 1; i < same->offsets.size(); ++i)
      if (same->offsets[i] - same->offsets[i - 1] < same->child->high) return false;
    return ordered(*same->child);
  }
  if (const auto* const list = std::get_if<Indexed>(&node.form)) {
    for (Count i = 1; i < list->offsets.size(); ++i)
      if (list->offsets[i] - list->offsets[i - 1] < list->lengths[i - 1]) return false;
    return true;
  }
  if (const auto* const sequence = std::get_if<Struct>(&node.form)) {
    Bytes end = 0;
    for (const Placed& child : sequence->children) {
      if (child.offset < end || !ordered(*child.node)) return false;
      end = child.offset + child.node->high;
    }
  }
  return true;
}

/// Where the tiles lie that have bytes [from, from + length) of the stream.
struct Tiles {
  Count count;
  Bytes offset;  ///< From `begin` to the first of them.
  Bytes from;    ///< In their stream.

  Tiles(const layout::Layout& tile, Bytes displacement, Bytes first, Bytes length, Bytes begin) {
    const Count before = first / tile.size();
    from = first - before * tile.size();
    count = (from + length + tile.size() - 1) / tile.size();
    offset = displacement + before * tile.extent() - begin;
  }
  /// The address of the first tile. It may lie before the memory that has the bytes.
  template <class Byte>
  [[nodiscard]] Byte* at(Byte* piece) const {
    return reinterpret_cast<Byte*>(reinterpret_cast<std::uintptr_t>(piece) + static_cast<std::uintptr_t>(offset));
  }
};

}  // namespace

View::View() : tile_(layout::basic(1)) {}

View::View(layout::Layout tile, Bytes displacement) : tile_(std::move(tile)), displacement_(displacement) {}

bool View::fits(const layout::Layout& tile) {
  return tile.size() > 0 && tile.lower_bound() == 0 && tile.true_lower_bound() >= 0 &&
         tile.true_lower_bound() + tile.true_extent() <= tile.extent() && ordered(*tile.node());
}

Bytes View::place(Bytes at) const {
  const Count tiles = at / tile_.size();
  layout::Cursor cursor(tile_, 1);
  cursor.seek(at - tiles * tile_.size());
  return displacement_ + tiles * tile_.extent() + cursor.peek().offset;
}

Bytes View::before(Bytes offset) const {
  if (offset <= displacement_) return 0;
  const Count tiles = (offset - displacement_) / tile_.extent();
  const Bytes into = offset - displacement_ - tiles * tile_.extent();
  return tiles * tile_.size() + bytes_before(*tile_.node(), into - tile_.root().offset);
}

bool View::reaches(Bytes from, Bytes length) const {
  constexpr Bytes most = Bytes{1} << 60;
  Bytes end = 0;
  return from >= 0 && length >= 0 && from <= most && length <= most && displacement_ <= most &&
         !__builtin_mul_overflow((from + length) / tile_.size() + 1, tile_.extent(), &end) && end <= most;
}

void View::store(Bytes from, Bytes length, const std::byte* in, std::byte* piece, Bytes begin) const {
  const Tiles tiles(tile_, displacement_, from, length, begin);
  layout::unpack_range(tile_, tiles.count, tiles.at(piece), tiles.from, length, in);
}

void View::load(Bytes from, Bytes length, const std::byte* piece, Bytes begin, std::byte* out) const {
  const Tiles tiles(tile_, displacement_, from, length, begin);
  layout::pack_range(tile_, tiles.count, tiles.at(piece), tiles.from, length, out);
}

}  // namespace heddle::engine::files
