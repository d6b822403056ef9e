// engine/window/across.hpp: copies between elements of this process and elements of another process
// of the node whose memory is not mapped here (transport/cma.hpp).
//
//   if (const int error = write_across(process, {&rows, 1, mine}, {&columns, 1, theirs}, scratch)) ...
//
//   here      long blocks: the system copies from block to block     [====]   [=====]     [==]
//             short blocks: they go through a stage: faster          stage [=======]
//   there     the system gets lists of up to 1024 blocks             [==] [=]    [=]  [===]
#pragma once

#include <sys/types.h>

#include "engine/node/scratch_buffers.hpp"
#include "layout/layout.hpp"

namespace heddle::engine {

/// Elements at an address, which is valid in the process that they belong to.
struct Elements {
  const layout::Layout* layout;
  layout::Count count;
  std::byte* base;
};

/// Both sides have the same number of bytes. Returns 0 when all of them are moved, or an errno: EPERM
/// and ENOSYS if the system refuses the calls, ESRCH if the process is gone, EFAULT if it lacks some
/// of the memory, ENOMEM. After an error, some of the bytes may have been moved.
int write_across(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) noexcept;
int read_across(pid_t process, const Elements& here, const Elements& there, ScratchBuffers& scratch) noexcept;

}  // namespace heddle::engine
