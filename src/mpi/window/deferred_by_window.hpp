// mpi/window/deferred_by_window.hpp: the accesses of one window that wait for its next fence
// (engine/window/deferred_accesses.hpp).
//
//   if (window.deferred()->defer(access)) return MPI_SUCCESS;
//   ...
//   return window.deferred()->fence([&](int assertion) { return PMPI_Win_fence(assertion, win); }, assertion, win);
#pragma once

#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/window/deferred_accesses.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/host.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi {

class DeferredByWindow final : private engine::DeferredAccesses::Memory {
 public:
  using Access = engine::DeferredAccesses::Access;

  /// A rank of the window.
  struct Rank {
    int place;                           ///< Its rank in the node.
    Bytes unit;                          ///< Its displacement unit, bytes.
    const engine::DeferredLists* lists;  ///< Its lists, for reading.
  };

  /// @param mine  Of node.shared(). It releases them.
  /// @param me  This rank in the window.
  /// @param base, size  The memory of this rank in the window.
  DeferredByWindow(MpiNode& node, std::vector<Rank> ranks, engine::DeferredLists& mine, int me, std::byte* base, Bytes size);
  ~DeferredByWindow() { node_.shared().release(lists_); }
  DeferredByWindow(const DeferredByWindow&) = delete;
  DeferredByWindow& operator=(const DeferredByWindow&) = delete;

  /// False: the host must carry it out. Any thread may call it.
  bool defer(const Access& access) noexcept;

  /// The program's MPI_Win_fence. All ranks of the window are in it.
  /// @param host  The host's MPI_Win_fence of this window: int(int assertion).
  template <class Host>
  int fence(const Host& host, int assertion, MPI_Win win);

 private:
  /// Accesses that a fence gives to the host.
  struct Redo {
    DeferredByWindow& all;
    MPI_Win win;
    int error = MPI_SUCCESS;              ///< The first of the host.
    std::exception_ptr thrown = nullptr;  ///< An error handler of the program has thrown it.
    void operator()(const Access& access) noexcept;
  };
  /// The end of an epoch, also if an error handler of the program throws.
  struct Ending {
    DeferredByWindow& all;
    explicit Ending(DeferredByWindow& deferred) : all(deferred) {}
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;
    ~Ending() { all.all_.end(); }
  };
  /// While it lives, no access is deferred: other threads may call MPI_Put during a fence.
  struct Closing {
    DeferredByWindow& all;
    explicit Closing(DeferredByWindow& deferred) : all(deferred) { set(true); }
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;
    ~Closing() { set(false); }
    void set(bool closed) const {
      const std::lock_guard guard(all.lock_);
      all.closed_ = closed;
    }
  };

  Block allocate(Bytes bytes) noexcept override;
  void release(std::byte* address) noexcept override { node_.shared().release(address); }
  const std::byte* map(int rank, const transport::Place& place, Bytes bytes) noexcept override {
    return node_.map(ranks_[static_cast<std::size_t>(rank)].place, place, bytes);
  }
  int to_host(const Access& access, MPI_Win win) const;

  MpiNode& node_;
  const std::vector<Rank> ranks_;
  engine::DeferredLists* const lists_;
  std::byte* const base_;
  const Bytes size_;
  threads::Lock lock_;  // guards the following outside of fences. Holders pack, so others may wait long.
  bool closed_ = false;
  engine::DeferredAccesses all_;
};

// The second fence has no assertion, so that the host accepts refused accesses after it. The last
// has the program's, as far as it still holds: this rank's memory changes within this call.
template <class Host>
int DeferredByWindow::fence(const Host& host, int assertion, MPI_Win win) {
  const Closing closing(*this);
  Redo redo{*this, win};
  const auto by_host = [&redo](const Access& access) { redo(access); };
  // If the fence ends no epoch, the host need not synchronize the ranks, so they do not see each
  // other's accesses. A correct program has none then.
  const bool ends_epoch = (assertion & MPI_MODE_NOPRECEDE) == 0;
  if (ends_epoch)
    all_.show();
  else
    all_.take_back(by_host);
  int result = host(assertion);
  if (result != MPI_SUCCESS) return result;
  const Ending ending(*this);
  if (ends_epoch && all_.any_shown()) {
    all_.serve(base_, size_);
    result = host(0);
    if (result == MPI_SUCCESS) {
      all_.collect(by_host);
      result = host(assertion & ~MPI_MODE_NOSTORE);
    }
  }
  if (redo.thrown) std::rethrow_exception(redo.thrown);
  return result == MPI_SUCCESS ? redo.error : result;
}

}  // namespace heddle::mpi
