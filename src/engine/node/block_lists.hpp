// engine/node/block_lists.hpp: moves bytes between blocks of this process and blocks of another
// process, by lists of up to 1024 blocks on each side (Multi-W of Wu et al. 2004, §4).
//
//   from_list_to_list(here, base, there, address, length, scratch,
//                     [&](auto near, auto far, Bytes bytes) { return ...; });   // one call of the system, or several
#pragma once

#include <sys/uio.h>

#include <span>

#include "engine/node/scratch_buffers.hpp"
#include "layout/cursor.hpp"

namespace heddle::engine {

/// The next blocks, of at most `room` bytes in all. `bytes` becomes the sum of their lengths.
inline std::span<const iovec> next_blocks(layout::Cursor& cursor, const void* base, ScratchBuffers::Entries& entries,
                                          layout::Bytes room, layout::Bytes& bytes) {
  const layout::Bytes before = cursor.tell();
  const std::size_t blocks = cursor.segments(base, entries, room);
  bytes = cursor.tell() - before;
  return std::span(entries).first(blocks);
}

/// Moves `length` bytes between two streams of blocks, from the places of the cursors on. If the
/// list of one side is full, the other list is cut to the same length.
/// @param move  bool(near, far, bytes). False ends all.
template <class Move>
bool from_list_to_list(layout::Cursor& here, const void* base, layout::Cursor& there, const void* address, layout::Bytes length,
                       ScratchBuffers& scratch, const Move& move) {
  while (length > 0) {
    const layout::Bytes at = there.tell();
    layout::Bytes bytes = 0;
    auto far = next_blocks(there, address, scratch.far, length, bytes);
    const auto near = next_blocks(here, base, scratch.near, bytes, bytes);
    if (there.tell() - at != bytes) {
      there.seek(at);
      far = next_blocks(there, address, scratch.far, bytes, bytes);
    }
    if (!move(near, far, bytes)) return false;
    length -= bytes;
  }
  return true;
}

/// True: blocks of this process are so short that they had better pass a stage. A block costs the
/// system 20 ns, but a copy of 512 bytes costs less.
inline bool needs_stage(const layout::Layout& layout, layout::Count count) {
  constexpr layout::Bytes short_block = 512;
  const layout::ProgramNode* const node = layout.node();
  return !layout.dense() && !(count == 1 && node->contiguous()) && node->size / node->blocks < short_block;
}

}  // namespace heddle::engine
