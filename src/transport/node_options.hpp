// transport/node_options.hpp: what a process gives to its node, and may do there.
#pragma once

#include <unistd.h>

#include <algorithm>

#include "transport/region.hpp"

namespace heddle::transport {

struct NodeOptions {
  Bytes memory = Bytes{256} << 20;  ///< Node memory of a process: address space, pages come with use.
  Bytes prefault = Bytes{2} << 20;  ///< Its first bytes, brought into being at the join.
  Bytes opened = -1;         ///< The join makes so many bytes of each node memory accessible, Node::open() more. -1: all.
  Bytes shared = -1;         ///< What allocate() may hand out, in all: address space. -1: as much as the node has memory.
  bool allow_mapped = true;  ///< Memory handed out by allocate() is mapped by peers. False: shared = 0.
  bool allow_cma = true;     ///< process_vm_readv may be used. False: it is not even tried.
  bool allow_ring = true;    ///< Segments in node memory. With none of the three there is no node memory.
  int timeout_ms = 10'000;   ///< Longest wait for peers' descriptors; with many processes on few cores it takes a while.

  [[nodiscard]] bool has_memory() const noexcept { return allow_mapped || allow_cma || allow_ring; }
  /// Bytes, in whole huge pages.
  [[nodiscard]] Bytes memory_of_process() const noexcept { return round_up(std::max(memory, huge_page), huge_page); }
  /// Of that memory, in whole pages.
  [[nodiscard]] Bytes prefaulted(Bytes of) const noexcept {
    return std::clamp<Bytes>(prefault / page_size() * page_size(), 0, of);
  }
  /// Bytes of a node memory of size `of`, in whole pages.
  [[nodiscard]] Bytes open_at_first(Bytes of) const noexcept {
    return opened < 0 ? of : std::min(round_up(opened, page_size()), of);
  }
  [[nodiscard]] Bytes shared_of_process() const noexcept {
    const Bytes wanted = shared < 0 ? static_cast<Bytes>(sysconf(_SC_PHYS_PAGES)) * page_size() : shared;
    return allow_mapped ? round_up(wanted, huge_page) : 0;
  }
};

/// Of the table of regions that comes next to a process's node memory.
constexpr Bytes region_table = Bytes{512} << 10;
/// Behind a process's node memory and its table of regions.
constexpr Bytes shared_from(Bytes memory) noexcept { return round_up(memory + region_table, huge_page); }

}  // namespace heddle::transport
