#include "layout/pack_away.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"

namespace heddle::layout {
namespace {

constexpr Bytes stage_bytes = 16 << 10;  // a part of the first-level cache; on the stack: warm, and each thread's own
constexpr Bytes long_piece = 8 << 10;    // from here on memcpy itself copies so

void copy_lines(void* to, const void* from, Bytes bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

void in_stages(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, std::byte* to) {
  alignas(64) std::byte stage[stage_bytes];
  while (length > 0) {
    const Bytes part = std::min(length, stage_bytes);
    pack_range(layout, count, base, from, part, stage);
    copy_lines(to, stage, part);
    from += part;
    to += part;
    length -= part;
  }
}

/// Pieces of different lengths: the long ones straight, runs of short ones in stages.
void long_ones_straight(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, std::byte* to) {
  Cursor look(layout, count);
  look.seek(from);
  Bytes done = 0;
  for (Bytes seen = 0; seen < length;) {
    const Segment piece = look.next(length - seen);
    if (piece.length >= long_piece) {
      in_stages(layout, count, base, from + done, seen - done, to + done);
      std::memcpy(to + seen, static_cast<const std::byte*>(base) + piece.offset, static_cast<std::size_t>(piece.length));
      done = seen + piece.length;
    }
    seen += piece.length;
  }
  in_stages(layout, count, base, from + done, length - done, to + done);
}

/// Few of them: looking at each costs nothing to speak of.
bool of_different_lengths(const Node& node) {
  constexpr Bytes few = 1 << 10;  // bytes a piece
  const auto* list = std::get_if<Indexed>(&node.form);
  return list && list->units.size() == 0 && node.size >= few * node.blocks;
}

}  // namespace

void pack_away(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out) {
  const Node* node = layout.node();
  auto* to = static_cast<std::byte*>(out);
  if (!node || node->size >= long_piece * node->blocks || length < 1024)
    return pack_range(layout, count, base, from, length, to);
  if (of_different_lengths(*node)) return long_ones_straight(layout, count, base, from, length, to);
  in_stages(layout, count, base, from, length, to);
}

}  // namespace heddle::layout
