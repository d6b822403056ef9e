// engine/node/pull.hpp: moves a piece of a message straight from the sender's buffer, in the ways
// of Wu et al. 2004, §4. RWG-UP and P-RRS have an iovec on one side, Multi-W on both. If the
// sender's buffer is mapped, bytes go from layout to layout (direct).
#pragma once

#include <sys/types.h>

#include "engine/node/rendezvous_receiver.hpp"

namespace heddle::engine {

/// The sender's elements, as this process can reach them.
struct Remote {
  const layout::Layout* layout;
  Count count;
  const std::byte* address;  ///< Address in the sender.
  const std::byte* mapped;   ///< Address here, or null: not mapped.
  pid_t process;             ///< For process_vm_readv; 0: forbidden.
};

/// Moves bytes [from, from + length) of the packed stream. False: it could not (not mapped,
/// process_vm refused). Bytes that it has written to the target will be written again.
bool pull(Scheme scheme, const Remote& remote, const Target& target, Bytes from, Bytes length,
          ScratchBuffers& scratch) noexcept;

/// P-RRS if the sender has packed: scatters packed bytes at `address` of process `process` into the
/// target by process_vm_readv. False: refused.
bool scatter(pid_t process, const std::byte* address, const Target& target, Bytes from, Bytes length,
             ScratchBuffers& scratch) noexcept;

}  // namespace heddle::engine
