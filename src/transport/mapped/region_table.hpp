// transport/mapped/region_table.hpp: the table of memory that a process has handed out. It lies in
// the process's file, where peers read it.
//
//   slot     version   offset   bytes        version 0: free. A slot that is used again gets a version never used before,
//      0           7        0   64 KiB       so that (slot, version) names one allocation for good (as the datatype cache
//      1           0                         of Wu et al. 2004, §4.4.2, names a datatype).
//      2          12    2 MiB   8 MiB
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "transport/join_node.hpp"
#include "transport/peer_buffer.hpp"

namespace heddle::transport {

/// One region. Only its owner writes it; all processes read it. A slot of zero bytes is free.
struct Slot {
  std::atomic<std::uint64_t> version;
  std::atomic<Bytes> offset;  ///< From JoinedNode::File::shared_from.
  std::atomic<Bytes> bytes;   ///< Multiple of the page size.
  std::uint64_t reserved;

  /// A process that sees one of these stores also sees that the version before is withdrawn.
  void publish(std::uint64_t fresh, Bytes at, Bytes size) noexcept {
    offset.store(at, std::memory_order_release);
    bytes.store(size, std::memory_order_release);
    version.store(fresh, std::memory_order_release);
  }
  void withdraw() noexcept { version.store(0, std::memory_order_release); }
};
static_assert(sizeof(Slot) == 32 && std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<Bytes>::is_always_lock_free);

constexpr std::uint32_t slots = region_table / sizeof(Slot);

inline Slot* slots_of(const JoinedNode::File& file) noexcept { return reinterpret_cast<Slot*>(file.table); }

}  // namespace heddle::transport
