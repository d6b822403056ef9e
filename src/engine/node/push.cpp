// engine/node/push.cpp: lists of blocks for the transport.
#include "engine/node/push.hpp"

#include <algorithm>
#include <cerrno>
#include <new>

#include "engine/node/block_lists.hpp"
#include "layout/pack.hpp"

namespace heddle::engine {
namespace {

using layout::Cursor;

int wrote_all(const transport::Copier& copier, std::span<const iovec> local, std::span<const iovec> remote, Bytes bytes) {
  const transport::Moved moved = copier.push(local, remote);
  return moved.error == 0 && moved.bytes != bytes ? EFAULT : moved.error;
}

int by_stage(const Source& source, const Remote& remote, ScratchBuffers& scratch) {
  const Bytes length = remote.layout->size() * remote.count;
  Cursor there(*remote.layout, remote.count);
  for (Bytes done = 0; done < length;) {
    const Bytes packed = std::min(ScratchBuffers::portion_bytes, length - done);
    layout::pack_range(*source.layout, source.count, source.base, done, packed, scratch.portion_buffer.data());
    for (const Bytes end = done + packed; done < end;) {
      Bytes bytes = 0;
      const auto blocks = next_blocks(there, remote.address, scratch.far, end - done, bytes);
      const iovec local{scratch.portion_buffer.data() + (packed - (end - done)), static_cast<std::size_t>(bytes)};
      if (const int error = wrote_all(remote.copier, {&local, 1}, blocks, bytes)) return error;
      done += bytes;
    }
  }
  return 0;
}

int from_block_to_block(const Source& source, const Remote& remote, ScratchBuffers& scratch) {
  Cursor here(*source.layout, source.count);
  Cursor there(*remote.layout, remote.count);
  int error = 0;
  from_list_to_list(here, source.base, there, remote.address, remote.layout->size() * remote.count, scratch,
                    [&](auto near, auto far, Bytes bytes) {
                      error = wrote_all(remote.copier, near, far, bytes);
                      return error == 0;
                    });
  return error;
}

}  // namespace

int push(const Source& source, const Remote& remote, ScratchBuffers& scratch) noexcept try {
  return needs_stage(*source.layout, source.count) ? by_stage(source, remote, scratch)
                                                   : from_block_to_block(source, remote, scratch);
} catch (const std::bad_alloc&) {
  return ENOMEM;
}

}  // namespace heddle::engine
