// engine/node/descriptor.hpp: the short message that announces a large one. It travels instead of
// the data, on the program's communicator with the program's tag, through the host's own matching
// (docs/protocol.md).
//
//   byte  0   nonce of the job, 16 bytes: tells a descriptor from 128 bytes of the program
//        16   sender (rank of the node), scheme, pullable, attachable, control block (offset)
//        32   generation      40  bytes in all      48  bytes a segment
//        56   address and count of the sender's elements, layout (id, version; place of its wire form at 96, its length at 112)
//        80   address of the node memory in the sender, for process_vm
//        88   shared memory region of the sender's buffer (version, 0: none; offset at 104, id at 116)
//       120   length of the message that brings it (lengths.hpp)      124   check sum of the rest
//
// An arriving descriptor is not trusted. read() checks every number against the memory for which it
// will be used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/node/control_block.hpp"
#include "select/scheme.hpp"
#include "transport/mapped/region_table.hpp"

namespace heddle::engine {

using Nonce = std::array<std::uint64_t, 2>;

using select::Scheme;

struct Descriptor {
  Nonce nonce{};
  std::uint32_t sender = 0;
  Scheme scheme = Scheme::bc_spup;
  bool pullable = false;        ///< The receiver may take open cells.
  std::uint8_t attachable = 0;  ///< Not 0: the sender stays in its call, so the receiver may attach the elements.
  std::uint8_t reserved = 0;
  std::uint64_t control = 0;
  std::uint64_t generation = 0;
  Bytes total = 0;
  Bytes segment = 0;
  std::uint64_t address = 0;
  Count count = 0;
  std::uint32_t layout = 0;
  std::uint32_t layout_version = 0;
  std::uint64_t memory = 0;
  std::uint64_t region_version = 0;
  std::uint64_t wire = 0;
  Bytes region_offset = 0;
  std::uint32_t wire_bytes = 0;
  std::uint32_t region = 0;
  std::uint32_t length = 128;
  std::uint32_t sum = 0;

  [[nodiscard]] transport::Place place() const { return {region_version, region_offset, region, 0}; }
  [[nodiscard]] Count segments() const { return (total - 1) / segment + 1; }  ///< Only for messages that are not empty.
  [[nodiscard]] Bytes segment_length(Count i) const {
    const Bytes left = total - i * segment;
    return left < segment ? left : segment;
  }
};
static_assert(sizeof(Descriptor) == 128);  // a multiple of every basic type's size: hosts refuse half an element

/// Sets the check sum.
void seal(Descriptor& descriptor) noexcept;

/// True: the arrived bytes begin with the nonce. Every receive asks this, so it is short.
inline bool is_descriptor(const void* arrived, const Nonce& nonce) noexcept {
  return std::memcmp(arrived, nonce.data(), sizeof nonce) == 0;
}

/// Bytes of the message that has brought the descriptor, as the descriptor says.
inline Bytes length_of(const void* arrived) noexcept {
  std::uint32_t length = 0;
  std::memcpy(&length, static_cast<const std::byte*>(arrived) + offsetof(Descriptor, length), sizeof length);
  return length;
}

/// Reads a descriptor that has arrived. False: it is forged or damaged, and must not be used. A
/// stale descriptor is recognized by its control block (rendezvous_receiver.hpp).
/// @param memory  Size of each node memory, bytes.
bool read(const void* arrived, const Nonce& nonce, std::uint32_t node_ranks, Bytes memory, Descriptor& descriptor) noexcept;

}  // namespace heddle::engine
