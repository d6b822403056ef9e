// engine/pull.hpp: moving a piece of a message straight from the sender's buffer, in the ways of Wu
// et al. 2004, §4: an iovec on one side (RWG-UP, P-RRS), on both (Multi-W), or, where the sender's
// buffer is mapped, from layout to layout (direct).
#pragma once

#include <sys/types.h>

#include "engine/inbox.hpp"

namespace heddle::engine {

/// The sender's elements, as this process can reach them.
struct Remote {
  const layout::Layout* layout;
  Count count;
  const std::byte* address;  ///< In the sender.
  const std::byte* mapped;   ///< The same here, or null.
  pid_t process;             ///< For process_vm_readv; 0: forbidden.
};

/// Moves bytes [from, from + length) of the packed stream. False: it could not (not mapped, process_vm refused), and what has
/// been written of the target will be written again.
bool pull(Scheme scheme, const Remote& remote, const Target& target, Bytes from, Bytes length, Desk& desk) noexcept;

/// P-RRS where the sender has packed: scatters packed bytes at `address` of process `process` into the target by one
/// process_vm_readv. False: refused.
bool scatter(pid_t process, const std::byte* address, const Target& target, Bytes from, Bytes length, Desk& desk) noexcept;

}  // namespace heddle::engine
