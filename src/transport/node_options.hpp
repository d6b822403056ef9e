// transport/node_options.hpp: the memory that a process gives to its node, and the transports that
// it may use.
#pragma once

#include <unistd.h>

#include <algorithm>

#include "transport/region.hpp"
#include "transport/transport_table.hpp"

namespace heddle::transport {

struct NodeOptions {
  Bytes memory = Bytes{256} << 20;  ///< Node memory of a process. This is address space: pages come with use.
  Bytes prefault = Bytes{2} << 20;  ///< The join brings the pages of so many first bytes into being.
  Bytes opened = -1;  ///< The join makes so many bytes of each node memory accessible; JoinedNode::open() adds more. -1: all.
  Bytes shared = -1;  ///< Address space that allocate() may hand out. -1: as much as the node has memory.
  TransportSet allowed{};   ///< Transports that may be used. With none there is no node memory.
  int timeout_ms = 10'000;  ///< Longest wait for peers' descriptors. Many processes on few cores need a while.

  [[nodiscard]] bool has_memory() const noexcept { return !allowed.empty(); }
  /// Bytes, in whole huge pages.
  [[nodiscard]] Bytes memory_of_process() const noexcept { return round_up(std::max(memory, huge_page), huge_page); }
  /// The part of `of` bytes of node memory that is brought into being, in whole pages.
  [[nodiscard]] Bytes prefaulted(Bytes of) const noexcept {
    return std::clamp<Bytes>(prefault / page_size() * page_size(), 0, of);
  }
  /// The part of `of` bytes of node memory that is accessible after the join, in whole pages.
  [[nodiscard]] Bytes open_at_first(Bytes of) const noexcept {
    return opened < 0 ? of : std::min(round_up(opened, page_size()), of);
  }
  [[nodiscard]] Bytes shared_of_process() const noexcept {
    const Bytes wanted = shared < 0 ? static_cast<Bytes>(sysconf(_SC_PHYS_PAGES)) * page_size() : shared;
    return allowed.has("mapped") ? round_up(wanted, huge_page) : 0;
  }
};

/// Size of the table of regions, which comes next to a process's node memory.
constexpr Bytes region_table = Bytes{512} << 10;
/// Offset of the memory that a process hands out, behind its node memory and its table of regions.
constexpr Bytes shared_from(Bytes memory) noexcept { return round_up(memory + region_table, huge_page); }

}  // namespace heddle::transport
