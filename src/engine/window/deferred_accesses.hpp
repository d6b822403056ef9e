// engine/window/deferred_accesses.hpp: accesses to window memory that only its owner reaches. The
// origin and the target carry them out together, in the fence that ends the epoch. No MPI.
//
//   origin                                       target
//   put: packs into its shared memory
//   get: notes the target's data
//   show()                                       show()
//   ------------------- fence of the library: every rank has shown its accesses --------------------
//   serve()                                      serve(): unpacks puts, packs gets into its shared memory
//   ------------------- fence of the library: every access is served or refused --------------------
//   collect(): unpacks gets                      collect()
//   ------------------- fence of the library: every access is complete -----------------------------
//   end()                                        end()
//
// If no rank of the window has deferred an access, any_shown() is false after the first fence. Then
// the others are not needed, and an epoch costs a look at one counter of each rank.
//
// A target refuses an access if it has no memory for it. The origin then calls the library, before
// the third fence.
//
// The lists of a rank lie in memory that the other ranks of its node map for reading
// (transport/mapped/shared_memory.hpp). Only their owner writes them:
//
//   DeferredLists   | shown | for each rank: first record, answer |
//   record          | header | wire form of the target's layout | packed data of a put |    -> next record
//                   each part in whole cache lines
//   packed gets     the data of all gets of one origin, in the order of its records
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "layout/layout.hpp"
#include "transport/peer_buffer.hpp"

namespace heddle::engine {

using layout::Bytes;
using layout::Count;

/// The lists of one rank for one window. Zeros at first. Epochs count from 1.
struct DeferredLists {
  using Counter = std::atomic<std::uint64_t>;
  /// Accesses of the owner to one target.
  struct Shown {
    std::uint64_t epoch;
    transport::Place first;  ///< Of the first record.
    Bytes first_bytes;
    Bytes gets;  ///< Bytes of all gets.
  };
  /// The owner's answer to one origin.
  struct Answer {
    std::uint64_t epoch;
    std::uint64_t served;  ///< Number of records, in their order. The others are refused.
    transport::Place gets;
    Bytes gets_bytes;
  };
  struct ForRank {
    Shown shown;
    Answer answer;
  };

  alignas(64) Counter shown;  ///< The last epoch in which the owner has deferred an access.
  alignas(64) ForRank ranks[1];

  static constexpr Bytes bytes(int ranks) noexcept {
    return static_cast<Bytes>(sizeof(DeferredLists)) + static_cast<Bytes>(sizeof(ForRank)) * (ranks - 1);
  }
};
static_assert(DeferredLists::Counter::is_always_lock_free);

class DeferredAccesses {
 public:
  /// Memory that the ranks of a window share.
  class Memory {
   public:
    struct Block {
      std::byte* address = nullptr;  ///< Null: there is no memory.
      transport::Place place{};
    };
    /// Memory that the other ranks can map.
    virtual Block allocate(Bytes bytes) noexcept = 0;
    virtual void release(std::byte* address) noexcept = 0;
    /// Memory of another rank of the window, for reading. Null: it cannot be mapped.
    virtual const std::byte* map(int rank, const transport::Place& place, Bytes bytes) noexcept = 0;

   protected:
    ~Memory() = default;
  };

  /// Elements in this process, or at the target.
  struct Elements {
    layout::Layout layout;
    Count count = 0;
  };
  struct Access {
    bool get = false;
    int rank = -1;           ///< The target.
    Bytes displacement = 0;  ///< Of its elements, from the begin of its window.
    Bytes bytes = 0;         ///< Packed; equal on both sides.
    Elements here, there;
    std::byte* address = nullptr;  ///< Of the elements here.
  };

  /// An epoch of a rank defers at most so many bytes of puts, and at most as many of gets.
  static constexpr Bytes most = Bytes{64} << 20;
  /// A longer wire form is left to the library.
  static constexpr std::size_t longest_layout = 4096;

  /// @param lists  Of each rank of the window, this rank included.
  DeferredAccesses(Memory& memory, DeferredLists& mine, std::vector<const DeferredLists*> lists, int me);
  ~DeferredAccesses();
  DeferredAccesses(const DeferredAccesses&) = delete;
  DeferredAccesses& operator=(const DeferredAccesses&) = delete;

  // One thread at a time may call the following.

  /// Defers an access: all data of a put is read before the call returns. False: the library must
  /// carry it out.
  bool defer(const Access& access) noexcept;

  // The calls of a fence, in this order. If the first fence of the library fails, only show() has
  // been called, and the program may call the fence again.

  void show() noexcept;
  /// True: a rank of the window has deferred accesses in this epoch.
  [[nodiscard]] bool any_shown() const noexcept;
  /// @param base, size  The memory of this rank in the window.
  void serve(std::byte* base, Bytes size) noexcept;
  /// @param redo  Gets the refused accesses. It does not throw.
  void collect(const std::function<void(const Access&)>& redo) noexcept;
  /// All ranks have collected. The next epoch begins.
  void end() noexcept;

  /// Gives all accesses of this epoch to `redo`, which does not throw, and forgets them.
  void take_back(const std::function<void(const Access&)>& redo) noexcept;

 private:
  struct Pending {
    Access access;
    Bytes bytes = 0;  ///< Length of its record, in whole cache lines.
    std::byte* record = nullptr;
    transport::Place place{};
  };
  /// Memory of this rank for records, one after the other.
  struct Block {
    Memory::Block memory;
    Bytes size = 0;
    Bytes used = 0;
  };
  static constexpr Bytes usual_block = Bytes{256} << 10;
  static constexpr Bytes most_kept = Bytes{4} << 20;  ///< A longer block does not stay for the next epoch.
  /// The last layout of an origin, because most programs put the same again.
  struct Known {
    std::vector<std::byte> wire;
    layout::Layout layout;
  };
  struct Serving;
  struct Progress {
    std::uint64_t records = 0;
    Bytes gets = 0;
  };

  std::byte* keep(Pending pending);
  void serve_origin(int rank, std::byte* base, Bytes size) noexcept;
  const layout::Layout* layout_of(int rank, std::span<const std::byte> wire) noexcept;
  bool collect_get(const Pending& pending, const DeferredLists::Answer& answer, Bytes at) noexcept;
  void forget() noexcept;

  Memory& memory_;
  DeferredLists& mine_;
  const std::vector<const DeferredLists*> lists_;
  const int me_;
  std::uint64_t epoch_ = 1;
  std::vector<Known> known_;          // by origin
  std::vector<std::byte*> answered_;  // packed gets of other ranks
  std::vector<Progress> progress_;    // by target, in collect()

  std::vector<Pending> pending_;
  std::vector<Block> blocks_;
  Bytes puts_ = 0, gets_ = 0;
};

}  // namespace heddle::engine
