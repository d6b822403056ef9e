// mpi/requests/request_table.hpp: the requests that Heddle still has to do something for, by their
// handles. An empty table costs a call one load.
//
//   if (requests::table.empty()) return PMPI_Wait(request, status);
//   if (Pending* pending = requests::table.find(*request)) ...
//
// A request in the table must be unique. Receives are, and so are sends that have not completed. If
// a send completes at once, MPICH and Open MPI hand out a handle that other sends have, too: see
// track_unless_done().
#pragma once

#include "mpi/requests/pending.hpp"
#include "threads/locked_table.hpp"

namespace heddle::mpi::requests {

class Poll;

class alignas(64) Table : threads::LockedTable<MPI_Request, Pending> {
  using Base = threads::LockedTable<MPI_Request, Pending>;

 public:
  constexpr Table() = default;
  using Base::empty;
  using Base::erase;
  /// The handle may be in the table already. Then the host has completed the request and given its
  /// handle out again, before the completing thread has erased it.
  void insert(MPI_Request handle, Pending* pending) noexcept {
    read_unread();
    Base::insert(handle, pending);
  }
  /// Call it before the host is asked for a request.
  using Base::room;

  /// True: requests may be looked up after the host has completed some of them (poll.hpp). False: a
  /// handle may come to mean another operation before the look-up. With several threads, this may
  /// happen as soon as the host has completed the request. With one thread, it happens only if the
  /// host calls the program back and the program begins an operation.
  [[nodiscard]] bool late() const noexcept {
    return reasons_.load(std::memory_order_relaxed) == 0 && !unread_ && !threads::concurrent.load(std::memory_order_relaxed);
  }
  /// One reason more, or less, to look requests up before the host is asked. While the host
  /// completes requests, it may call the program back, and the program may leave that call by
  /// longjmp. Or the host must not be asked about some requests as they are (Pending::Indirect).
  void count_reason(int by) noexcept {  // threads may lose a count: with several nothing is late
    reasons_.store(reasons_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  /// The host is asked about the requests of `poll`, which have not been looked up. If the table is
  /// searched meanwhile, they are looked up first.
  void set_unread(Poll* poll) noexcept { unread_ = poll; }

  /// True: an operation is in progress. Persistent requests also stay here between two operations.
  [[nodiscard]] bool any_active() noexcept {
    return any([](const Pending& each) { return each.record.active; });
  }
  /// Visits each operation in progress.
  template <class Visit>
  void for_each_active(const Visit& visit) {
    static_cast<void>(any([&](const Pending& each) {
      if (each.record.active) visit(each);
      return false;
    }));
  }
  [[nodiscard]] Pending* find(MPI_Request handle) noexcept {
    read_unread();
    return Base::find(handle, meant);
  }
  /// Finds the entries of a row of handles. Returns how many there are.
  int find(int count, const MPI_Request* handles, Pending** found) noexcept {
    read_unread();
    return Base::find(count, handles, found, meant);
  }

 private:
  std::atomic<int> reasons_{0};  // shares the cache line that empty() reads
  Poll* unread_ = nullptr;

  /// The host has called the program back, which asks about a request. The handle of that request
  /// may be one of the poll's row by now.
  void read_unread() noexcept {
    if (unread_) [[unlikely]]
      read_poll();
  }
  void read_poll() noexcept;

  /// False: a call is completing it. Then the handle means a request of another thread that Heddle
  /// does not know.
  static constexpr auto meant = [](const Pending& pending) noexcept {
    return !pending.record.completing.load(std::memory_order_relaxed);
  };
};

/// The table of the process.
inline constinit Table table;

}  // namespace heddle::mpi::requests
