// transport/mapped/shared_memory.hpp: memory for the program that peers can map (heddle_alloc).
//
//   SharedMemory shared(node);
//   void* array = shared.allocate(bytes);                  // null: take other memory
//   ...
//   if (std::optional<Place> place = shared.find(buffer, extent)) ...     // put *place in the descriptor: the peer can map it
//   ...
//   if (!shared.release(array)) free(array);
//
// The memory is the rest of the file that every peer got at the join (join_node.hpp). So handing
// out memory costs no descriptor, and nothing has to be sent. Pages come with use, as malloc's do,
// because programs allocate more than they touch. Pages are given back in chunks of 2 MiB. A chunk
// that messages are sent from over and over gets a huge page, if the kernel has one:
//
//   chunk       0             1             2             3
//   regions     [aaaa][b]     [cccccccccccccccccccccc]    (idle)       a chunk that no region uses keeps its pages for a while,
//                                                                      then the system gets them, whoever has it mapped
// After fork() a child has its own copy of the memory that was handed out, as of all other memory.
// The pages in use are copied before the fork, which then takes longer (30 ms for 64 MiB on a busy
// machine). Node memory stays shared; a child that calls no MPI does not touch it. posix_spawn,
// system, popen and Python's subprocess do not use fork() nowadays, so they cost nothing. A child
// that is made without the handlers of fork() (clone, _Fork) finds no memory at these addresses. It
// faults, and cannot write into its parent's memory.
//
// Any thread may call any function.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/join_node.hpp"
#include "transport/mapped/address_space.hpp"
#include "transport/mapped/region_table.hpp"

namespace heddle::transport {

/// The time at which the system provides the pages of an allocation.
enum class Commit {
  as_the_system,  ///< at_once if the system promises no more memory than it has (vm.overcommit_memory = 2), else with_use.
  with_use,       ///< At first use, as with malloc nearly everywhere. If memory is short then, the kernel ends a process.
  at_once,        ///< In allocate(), which returns null if memory is short.
};

/// Policy for chunks that are used often. A node with more ranks than cores needs `never`. To make
/// a huge page the kernel waits for a thread of its own on each core, and that thread waits behind
/// ranks that only yield. With 17 ranks on two cores, one page took 110 s.
enum class HugePages { when_used, never };

class SharedMemory {
 public:
  /// The node must outlive it. Costs nothing before the first allocate().
  explicit SharedMemory(const JoinedNode& node, Commit commit = Commit::as_the_system, HugePages huge = HugePages::when_used)
      : file_(node.file(node.me())), commit_(commit), huge_(huge) {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Takes back everything.
  ~SharedMemory();

  /// Most bytes of pages that no region uses and that are kept for the next region.
  static constexpr Bytes idle_most = Bytes{32} << 20;
  /// A chunk gets a huge page when find() has found so many times its size in it. The kernel then
  /// copies the chunk, which takes some ms if it first has to make room.
  static constexpr Bytes huge_after = 32;

  /// Aligned to a page, from 2 MiB on to a huge page. As with malloc, the contents are undefined.
  /// Null: bytes <= 0, no room, or `mapped` is not in HEDDLE_TRANSPORTS.
  [[nodiscard]] void* allocate(Bytes bytes) noexcept;

  /// Memory of zeros. Pages that were used before are replaced by fresh ones.
  [[nodiscard]] void* allocate_zeroed(Bytes bytes) noexcept;

  /// False: `memory` is not the beginning of a region that was handed out, and nothing happens.
  bool release(void* memory) noexcept;

  /// The place of [address, address + bytes), if it lies in one region that was handed out. For
  /// other addresses it takes a nanosecond. Near regions it takes 20 ns: a lock, a look-up and a
  /// step for each chunk. Once for each chunk it also makes the huge page.
  [[nodiscard]] std::optional<Place> find(const void* address, Bytes bytes) noexcept {
    const auto at =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_.load(std::memory_order_relaxed));
    if (at >= static_cast<std::uintptr_t>(used_.load(std::memory_order_acquire))) return std::nullopt;
    return find_among(static_cast<Bytes>(at), bytes);
  }

  /// Allocations that are not released.
  [[nodiscard]] std::size_t live() const noexcept;

 private:
  struct Region {
    Bytes offset = 0;
    Bytes bytes = 0;
    std::uint64_t version = 0;
    std::uint32_t id = 0;
  };
  struct Chunk {
    std::uint32_t regions = 0;  ///< Regions that lie in it, wholly or in part.
    bool pages = false;         ///< It may have pages that are not yet given back.
    bool huge = false;          ///< The kernel was asked for a huge page.
    Bytes found = 0;            ///< Bytes that find() has found since it has had pages.
  };

  friend class Forks;
  void before_fork() noexcept;
  void after_fork_in_parent() noexcept;
  void after_fork_in_child() noexcept;

  [[nodiscard]] std::optional<Place> find_among(Bytes at, Bytes bytes) noexcept;
  void count_found(Bytes at, Bytes bytes) noexcept;
  bool reserve() noexcept;
  bool show_to(Bytes end) noexcept;
  bool take_pages(const Region& region) noexcept;
  void leave_pages(const Region& region) noexcept;
  void give_back(Bytes offset, Bytes bytes) const noexcept;

  const JoinedNode::File file_;
  Commit commit_;
  HugePages huge_;
  std::atomic<std::byte*> base_{nullptr};  // begin of the address space
  std::atomic<Bytes> used_{0};             // nothing beyond was ever handed out

  mutable std::mutex lock_;
  bool refused_ = false;       // no address space
  bool forked_ = false;        // in a child: it may release regions, but not allocate
  std::byte* copy_ = nullptr;  // a copy of all regions, while the process forks
  Bytes copied_ = 0;
  AddressSpace space_;
  Bytes shown_ = 0;                      // the part of it that is mapped
  std::vector<Chunk> chunks_;            // those of the mapped part
  Bytes idle_ = 0;                       // size of chunks with pages but no regions
  std::vector<Region> live_;             // ordered by offset; gaps are free
  std::vector<std::uint32_t> free_ids_;  // slots that were used before
  std::uint32_t fresh_id_ = 0;
  std::uint64_t fresh_version_ = 1;
};

}  // namespace heddle::transport
