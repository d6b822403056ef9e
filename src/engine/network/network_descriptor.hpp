// engine/network/network_descriptor.hpp: the short message that announces a large one to a rank of
// another node. It travels instead of the data, on the program's communicator with the program's
// tag, like a descriptor within a node (engine/node/descriptor.hpp).
//
//   byte  0   nonce of the job's network, 16 bytes; not that of descriptors within a node
//        16   sender (rank of MPI_COMM_WORLD)      20   check sum of the rest      24   bytes in all
//        32   the fabric's announcement, with a check sum of its own
//       152   tag of the message      156   context (network/contexts.hpp)      160   whether the sender asks if it is known
//       164   zeros, to a length that few programs send
#pragma once

#include <cstring>

#include "engine/node/descriptor.hpp"
#include "transport/fabric/control_messages.hpp"

namespace heddle::engine {

struct NetworkDescriptor {
  Nonce nonce{};
  std::int32_t sender = -1;
  std::uint32_t sum = 0;
  layout::Bytes total = 0;
  transport::fabric::Announcement announcement{};
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  std::uint32_t asks = 0;
  std::byte padding[12]{};
};

/// Follows the packed bytes of a message that the host brings. A receiver that has lost the
/// descriptor reads it.
struct PackedTrailer {
  std::uint32_t number = 0;  ///< The sender's number of the message.
  std::int32_t tag = 0;
  std::uint64_t order = 0;  ///< Later messages of a sender have higher ones.
  std::uint32_t context = 0;
  std::uint32_t nothing = 0;
};
/// An unusual length, because a probe cannot tell a descriptor from other messages of this length,
/// and has to look into them.
constexpr layout::Bytes network_descriptor_bytes = 176;
static_assert(sizeof(NetworkDescriptor) == network_descriptor_bytes);

/// The check sum of the fields that the announcement's own sum does not guard.
inline std::uint32_t sum_of(const NetworkDescriptor& descriptor) noexcept {
  std::uint64_t sum = descriptor.announcement.sum;
  for (const auto word :
       {static_cast<std::uint64_t>(descriptor.sender), static_cast<std::uint64_t>(descriptor.total),
        static_cast<std::uint64_t>(descriptor.tag), std::uint64_t{descriptor.context} << 32U | descriptor.asks}) {
    sum = (sum ^ word) * 0x100000001b3U;
    sum ^= sum >> 29;
  }
  return static_cast<std::uint32_t>(sum ^ sum >> 32);
}

/// Sets the check sum, when the rest is filled in.
inline void seal(NetworkDescriptor& descriptor) noexcept { descriptor.sum = sum_of(descriptor); }

/// Reads a descriptor that has arrived. False: it is forged or damaged, and must not be used.
/// @param ranks  Size of MPI_COMM_WORLD.
inline bool read(const void* arrived, const Nonce& nonce, int ranks, NetworkDescriptor& descriptor) noexcept {
  std::memcpy(static_cast<void*>(&descriptor), arrived, sizeof descriptor);
  transport::fabric::Announcement sound;
  const auto* const bytes = reinterpret_cast<const std::byte*>(&descriptor.announcement);
  for (const std::byte zero : descriptor.padding)
    if (zero != std::byte{}) return false;
  return descriptor.nonce == nonce && descriptor.sum == sum_of(descriptor) && descriptor.sender >= 0 &&
         descriptor.sender < ranks && descriptor.total > 0 &&
         transport::fabric::read({bytes, sizeof descriptor.announcement}, nonce[0], sound) && sound.total == descriptor.total;
}

}  // namespace heddle::engine
