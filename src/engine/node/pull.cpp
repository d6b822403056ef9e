// engine/node/pull.cpp: moves one piece in one way.
#include "engine/node/pull.hpp"

#include <algorithm>

#include "engine/node/block_lists.hpp"
#include "layout/pack.hpp"

namespace heddle::engine {
namespace {

using layout::Cursor;

constexpr Bytes stage_bytes = ScratchBuffers::stage_bytes;

bool moved_all(const transport::Copier& copier, std::span<const iovec> local, std::span<const iovec> remote, Bytes bytes) {
  const transport::Moved moved = copier.pull(local, remote);
  return moved.error == 0 && moved.bytes == bytes;
}

bool multi_w(const Remote& remote, const Target& target, Bytes from, Bytes length, ScratchBuffers& scratch) {
  Cursor there(*remote.layout, remote.count);
  Cursor here(*target.layout, target.count);
  there.seek(from);
  here.seek(from);
  return from_list_to_list(here, target.base, there, remote.address, length, scratch,
                           [&](auto near, auto far, Bytes bytes) { return moved_all(remote.copier, near, far, bytes); });
}

/// Gathers the sender's blocks into a contiguous stage, and unpacks it.
bool rwg_up(const Remote& remote, const Target& target, Bytes from, Bytes length, ScratchBuffers& scratch) {
  auto& stage = scratch.stage;
  Cursor there(*remote.layout, remote.count);
  there.seek(from);
  for (Bytes done = 0; done < length;) {
    Bytes bytes = 0;
    const auto entries = next_blocks(there, remote.address, scratch.far, std::min(stage_bytes, length - done), bytes);
    const iovec local{stage.data(), static_cast<std::size_t>(bytes)};
    if (!moved_all(remote.copier, {&local, 1}, entries, bytes)) return false;
    layout::unpack_range(*target.layout, target.count, target.base, from + done, bytes, stage.data());
    done += bytes;
  }
  return true;
}

}  // namespace

void move_here(const Remote& remote, const Target& target, Bytes from, Bytes length, std::span<std::byte> stage) noexcept {
  const auto contiguous = [](const layout::Layout& layout, Count count) {
    return layout.dense() || (count <= 1 && layout.node()->contiguous());
  };
  if (contiguous(*target.layout, target.count)) {
    std::byte* to = static_cast<std::byte*>(target.base) + target.layout->root().offset + from;
    return layout::pack_range(*remote.layout, remote.count, remote.mapped, from, length, to);
  }
  if (contiguous(*remote.layout, remote.count))
    return layout::unpack_range(*target.layout, target.count, target.base, from, length,
                                remote.mapped + remote.layout->root().offset + from);
  const auto most = static_cast<Bytes>(stage.size());
  for (Bytes done = 0; done < length; done += most) {
    const Bytes bytes = std::min(most, length - done);
    layout::pack_range(*remote.layout, remote.count, remote.mapped, from + done, bytes, stage.data());
    layout::unpack_range(*target.layout, target.count, target.base, from + done, bytes, stage.data());
  }
}

bool scatter(const transport::Copier& copier, const std::byte* address, const Target& target, Bytes from, Bytes length,
             ScratchBuffers& scratch) noexcept {
  Cursor here(*target.layout, target.count);
  here.seek(from);
  for (Bytes done = 0; done < length;) {
    Bytes bytes = 0;
    const auto entries = next_blocks(here, target.base, scratch.near, length - done, bytes);
    const iovec remote{const_cast<std::byte*>(address + done), static_cast<std::size_t>(bytes)};
    if (!moved_all(copier, entries, {&remote, 1}, bytes)) return false;
    done += bytes;
  }
  return true;
}

bool pull(Scheme scheme, const Remote& remote, const Target& target, Bytes from, Bytes length,
          ScratchBuffers& scratch) noexcept {
  if (length <= 0) return true;
  if (remote.mapped && (scheme == Scheme::direct || scheme == Scheme::both)) {
    move_here(remote, target, from, length, scratch.stage);
    return true;
  }
  if (!remote.copier) return false;
  return scheme == Scheme::rwg_up ? rwg_up(remote, target, from, length, scratch)
                                  : multi_w(remote, target, from, length, scratch);
}

}  // namespace heddle::engine
