// engine/node/pull.hpp: moves a piece of a message straight from the sender's buffer, in the ways
// of Wu et al. 2004, §4. RWG-UP and P-RRS have an iovec on one side, Multi-W on both. If the
// sender's buffer is mapped, bytes go from layout to layout (direct).
#pragma once

#include <span>

#include "engine/node/rendezvous_receiver.hpp"
#include "transport/transport.hpp"

namespace heddle::engine {

/// The sender's elements, as this process can reach them.
struct Remote {
  const layout::Layout* layout;
  Count count;
  const std::byte* address;  ///< Address in the sender.
  const std::byte* mapped;   ///< Address here, or null: not mapped.
  transport::Copier copier;  ///< False: no transport copies it.
};

/// Moves bytes within memory that is mapped here. One pass suffices if one side is contiguous.
/// Otherwise the bytes go through `stage`, which stays in the cache. The address may be null
/// (MPI_BOTTOM).
void move_here(const Remote& remote, const Target& target, Bytes from, Bytes length, std::span<std::byte> stage) noexcept;

/// Moves bytes [from, from + length) of the packed stream. False: it could not (not mapped, the
/// copy refused). Bytes that it has written to the target will be written again.
bool pull(Scheme scheme, const Remote& remote, const Target& target, Bytes from, Bytes length,
          ScratchBuffers& scratch) noexcept;

/// P-RRS if the sender has packed: scatters packed bytes at `address` of the sender into the
/// target. False: refused.
bool scatter(const transport::Copier& copier, const std::byte* address, const Target& target, Bytes from, Bytes length,
             ScratchBuffers& scratch) noexcept;

}  // namespace heddle::engine
