// transport/shared_memory.hpp: memory for the program that peers can map: behind MPI_Alloc_mem and heddle_alloc.
// May include: node.hpp, region_table.hpp.
//
//   SharedMemory shared(node);
//   void* array = shared.allocate(bytes);                  // null: take the MPI library's
//   ...
//   if (std::optional<Place> place = shared.find(buffer, extent)) ...     // put *place in the descriptor: the peer can map it
//   ...
//   if (!shared.release(array)) return PMPI_Free_mem(array);
//
// It is the rest of the file that every peer got at the join (node.hpp): handing out costs no descriptor, and there is nothing
// to send. Pages go back to the system on release, whoever still has them mapped. Any thread may call anything.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "transport/node.hpp"
#include "transport/region_table.hpp"

namespace heddle::transport {

/// When the pages of an allocation are taken from the system.
enum class Commit {
  as_the_system,  ///< at_once where the system promises no more memory than it has (vm.overcommit_memory = 2), else with_use.
  with_use,       ///< As malloc does nearly everywhere. If there is no memory then, the kernel ends a process.
  at_once,        ///< allocate() is null if there is no memory.
};

class SharedMemory {
 public:
  /// The node must outlive it. Costs nothing before the first allocate().
  explicit SharedMemory(const Node& node, Commit commit = Commit::as_the_system)
      : file_(node.file(node.me())), commit_(commit) {}
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  /// Takes back everything.
  ~SharedMemory();

  /// Shorter ones waste most of a page: better left to the MPI library.
  static constexpr Bytes worthwhile = Bytes{16} << 10;

  /// Zeroed, aligned to a page; from 2 MiB on to a huge page, and made of huge pages at once where that takes at most half
  /// of the memory that is free. Null: bytes <= 0, no room, or HEDDLE_TRANSPORTS has no mapped.
  [[nodiscard]] void* allocate(Bytes bytes) noexcept;

  /// False, and nothing happens: not the beginning of something handed out.
  bool release(void* memory) noexcept;

  /// Where [address, address + bytes) lies, if it lies in one region handed out. A nanosecond or two if nothing near it was;
  /// a lock and a look-up if something was.
  [[nodiscard]] std::optional<Place> find(const void* address, Bytes bytes) const noexcept {
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

  [[nodiscard]] std::optional<Place> find_among(Bytes at, Bytes bytes) const noexcept;
  bool reserve() noexcept;
  bool map(const Region& region) const noexcept;
  void drop(const Region& region) const noexcept;
  void withdraw(const Region& region) const noexcept;

  const Node::File file_;
  Commit commit_;
  std::atomic<std::byte*> base_{nullptr};  // address space for all that can be handed out, inaccessible where nothing is
  std::atomic<Bytes> used_{0};             // nothing was ever handed out beyond

  mutable std::mutex lock_;
  Bytes size_ = 0;                       // of that address space; -1: there is none to be had
  std::vector<Region> live_;             // by offset; gaps are free
  std::vector<std::uint32_t> free_ids_;  // of slots used before
  std::uint32_t fresh_id_ = 0;
  std::uint64_t fresh_version_ = 1;
};

}  // namespace heddle::transport
