// engine/window/across.cpp: process_vm_readv and process_vm_writev with lists of blocks.
#include "engine/window/across.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "layout/cursor.hpp"
#include "layout/pack.hpp"
#include "transport/cma.hpp"

namespace heddle::engine {
namespace {

using layout::Cursor;

enum class Direction { write, read };

/// The next blocks, of at most `room` bytes in all.
std::span<const iovec> next_blocks(Cursor& cursor, const Elements& side, ScratchBuffers::Entries& entries, Bytes room) {
  return std::span(entries).first(cursor.segments(side.base, entries, room));
}

/// Short blocks pass a stage: a block costs the system 20 ns, but a copy of 512 bytes costs less.
bool needs_stage(const Elements& side) {
  constexpr Bytes short_block = 512;
  const layout::Node* const node = side.layout->node();
  return !side.layout->dense() && !(side.count == 1 && node->contiguous()) && node->size / node->blocks < short_block;
}

template <Direction direction>
int moved_all(pid_t process, std::span<const iovec> local, std::span<const iovec> remote, Bytes bytes) {
  const transport::cma::Moved moved = direction == Direction::write ? transport::cma::write(process, local, remote)
                                                                    : transport::cma::read(process, local, remote);
  return moved.error == 0 && moved.bytes != bytes ? EFAULT : moved.error;
}

template <Direction direction>
int by_stage(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) {
  const Bytes bytes = there.layout->size() * there.count;
  std::byte* const stage = scratch.shelf.data();
  Cursor far(*there.layout, there.count);
  for (Bytes done = 0; done < bytes;) {
    const Bytes end = std::min(done + ScratchBuffers::shelf_bytes, bytes);
    if (direction == Direction::write) layout::pack_range(*here.layout, here.count, here.base, done, end - done, stage);
    for (Bytes at = done; at < end; at = far.tell()) {
      const std::span<const iovec> remote = next_blocks(far, there, scratch.far, end - at);
      const iovec local{stage + (at - done), static_cast<std::size_t>(far.tell() - at)};
      if (const int error = moved_all<direction>(process, {&local, 1}, remote, far.tell() - at)) return error;
    }
    if (direction == Direction::read) layout::unpack_range(*here.layout, here.count, here.base, done, end - done, stage);
    done = end;
  }
  return 0;
}

/// The shorter of the two lists tells how much is moved at once.
template <Direction direction>
int from_block_to_block(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) {
  const Bytes bytes = there.layout->size() * there.count;
  Cursor near(*here.layout, here.count);
  Cursor far(*there.layout, there.count);
  for (Bytes done = 0; done < bytes; done = near.tell()) {
    std::span<const iovec> remote = next_blocks(far, there, scratch.far, bytes - done);
    const std::span<const iovec> local = next_blocks(near, here, scratch.near, far.tell() - done);
    if (near.tell() < far.tell()) {
      far.seek(done);
      remote = next_blocks(far, there, scratch.far, near.tell() - done);
    }
    if (const int error = moved_all<direction>(process, local, remote, near.tell() - done)) return error;
  }
  return 0;
}

template <Direction direction>
int move(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) noexcept try {
  return needs_stage(here) ? by_stage<direction>(process, here, there, scratch)
                           : from_block_to_block<direction>(process, here, there, scratch);
} catch (const std::bad_alloc&) {
  return ENOMEM;
}

}  // namespace

int write_across(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) noexcept {
  return move<Direction::write>(process, here, there, scratch);
}
int read_across(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) noexcept {
  return move<Direction::read>(process, here, there, scratch);
}

}  // namespace heddle::engine
