// transport/shared_memory.hpp: memory for the program that peers can map: behind heddle_alloc.
// May include: node.hpp, address_space.hpp, region_table.hpp.
//
//   SharedMemory shared(node);
//   void* array = shared.allocate(bytes);                  // null: take other memory
//   ...
//   if (std::optional<Place> place = shared.find(buffer, extent)) ...     // put *place in the descriptor: the peer can map it
//   ...
//   if (!shared.release(array)) free(array);
//
// It is the rest of the file that every peer got at the join (node.hpp): handing out costs no descriptor, and there is nothing
// to send. Pages come with use, as malloc's do: programs allocate more than they touch. They go in chunks of 2 MiB, and a chunk
// that is sent from over and over gets a huge page, if the kernel has one:
//
//   chunk       0             1             2             3
//   regions     [aaaa][b]     [cccccccccccccccccccccc]    (idle)       a chunk that no region uses keeps its pages for a while,
//                                                                      then the system gets them, whoever has it mapped
// A child that the process forks has what was handed out as it has all memory: as it was at the fork, and for itself. The pages
// in use are copied for it before the fork, which then takes so much longer (30 ms for 64 MiB on a busy machine). Only of what
// was handed out: node memory stays shared, and a child that calls no MPI does not touch it. What starts programs (posix_spawn,
// system, popen, Python's subprocess) does not go by fork() nowadays, and costs nothing. A child that is made without the
// handlers of fork() (clone, _Fork) finds no memory at these addresses: it faults, and cannot write into its parent's memory.
//
// Any thread may call anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/address_space.hpp"
#include "transport/node.hpp"
#include "transport/region_table.hpp"

namespace heddle::transport {

/// When the pages of an allocation are taken from the system.
enum class Commit {
  as_the_system,  ///< at_once where the system promises no more memory than it has (vm.overcommit_memory = 2), else with_use.
  with_use,       ///< As malloc does nearly everywhere. If there is no memory then, the kernel ends a process.
  at_once,        ///< allocate() is null if there is no memory.
};

/// Whether chunks that are much used get huge pages. On a node with more ranks than cores `never`: the kernel waits for a
/// thread of its own on each core, behind ranks that only yield. One page took 17 ranks on two cores 110 s.
enum class HugePages { when_used, never };

class SharedMemory {
 public:
  /// The node must outlive it. Costs nothing before the first allocate().
  explicit SharedMemory(const Node& node, Commit commit = Commit::as_the_system, HugePages huge = HugePages::when_used)
      : file_(node.file(node.me())), commit_(commit), huge_(huge) {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Takes back everything.
  ~SharedMemory();

  /// Pages that no region uses and that are kept for the next one.
  static constexpr Bytes idle_most = Bytes{32} << 20;
  /// A chunk gets a huge page when so many times its size have been found in it. The kernel copies it for that, which takes
  /// some ms where it first has to make room.
  static constexpr Bytes huge_after = 32;

  /// Aligned to a page, from 2 MiB on to a huge page. The contents are undefined, as those of malloc. Null: bytes <= 0, no
  /// room, or HEDDLE_TRANSPORTS has no mapped.
  [[nodiscard]] void* allocate(Bytes bytes) noexcept;

  /// The same, all zero: pages that something else has had come anew.
  [[nodiscard]] void* allocate_zeroed(Bytes bytes) noexcept;

  /// False, and nothing happens: not the beginning of something handed out.
  bool release(void* memory) noexcept;

  /// Where [address, address + bytes) lies, if it lies in one region handed out. A nanosecond if nothing near it ever was; a
  /// lock, a look-up and a step for each chunk, 20 ns, if something was; once for each chunk also its huge page.
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
    std::uint32_t regions = 0;  ///< That lie in it, wholly or in part.
    bool pages = false;         ///< Maybe taken from the system, and not yet given back.
    bool huge = false;          ///< The kernel was asked for a huge page.
    Bytes found = 0;            ///< By find(), since it has had pages.
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

  const Node::File file_;
  Commit commit_;
  HugePages huge_;
  std::atomic<std::byte*> base_{nullptr};  // where the address space begins
  std::atomic<Bytes> used_{0};             // nothing was ever handed out beyond

  mutable std::mutex lock_;
  bool refused_ = false;       // no address space
  bool forked_ = false;        // this is a child: what it has it may release, and no more
  std::byte* copy_ = nullptr;  // of all regions, while the process forks
  Bytes copied_ = 0;
  AddressSpace space_;
  Bytes shown_ = 0;                      // of it, from its beginning on
  std::vector<Chunk> chunks_;            // of what is shown
  Bytes idle_ = 0;                       // of the chunks with pages and without regions
  std::vector<Region> live_;             // by offset; gaps are free
  std::vector<std::uint32_t> free_ids_;  // of slots used before
  std::uint32_t fresh_id_ = 0;
  std::uint64_t fresh_version_ = 1;
};

}  // namespace heddle::transport
