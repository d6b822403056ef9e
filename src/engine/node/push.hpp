// engine/node/push.hpp: moves elements of this process into those of another process of the node,
// which need not take part. pull() is the reverse.
//
//   if (const int error = push({&rows, 1, mine}, {&columns, 1, address, nullptr, copier}, scratch)) ...
//
//   here      long blocks: the system copies from block to block     [====]   [=====]     [==]
//             short blocks: they go through a stage: faster          stage [=======]
//   there     the system gets lists of up to 1024 blocks             [==] [=]    [=]  [===]
#pragma once

#include "engine/node/pull.hpp"
#include "engine/node/rendezvous_sender.hpp"

namespace heddle::engine {

/// Both sides have the same number of bytes. Returns 0 when all of them are moved, or an errno:
/// EPERM and ENOSYS if the system refuses the calls, ESRCH if the process is gone, EFAULT if it
/// lacks some of the memory, ENOMEM. After an error, some of the bytes may have been moved.
int push(const Source& source, const Remote& remote, ScratchBuffers& scratch) noexcept;

}  // namespace heddle::engine
