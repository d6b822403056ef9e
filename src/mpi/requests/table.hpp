// mpi/requests/table.hpp: which handles are requests that Heddle still has to do something for. Empty, it costs a call one
// load. Includes pending.hpp, threads/.
//
//   if (requests::table.empty()) return PMPI_Wait(request, status);
//   if (Pending* pending = requests::table.find(*request)) ...
//
// A request must be unique to be in it. Receives are, and sends that have not completed; for sends that complete at once both
// MPICH and Open MPI hand out the same handle again and again: see track_unless_done().
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
  /// A handle that is there already belonged to a request that the host has completed and given out anew, before the thread
  /// that completed it came to erase it.
  void insert(MPI_Request handle, Pending* pending) noexcept {
    read_unread();
    Base::insert(handle, pending);
  }
  /// Asked before the host is asked for a request.
  using Base::room;

  /// Whether requests may be looked up after the host has completed some of them (poll.hpp): not where a handle may become
  /// another operation's meanwhile. With several threads it may as soon as the host has completed it; with one, only if the
  /// host calls the program back, and that begins an operation.
  [[nodiscard]] bool late() const noexcept {
    return reasons_.load(std::memory_order_relaxed) == 0 && !unread_ && !threads::concurrent.load(std::memory_order_relaxed);
  }
  /// One reason more, or less, to look them up before: the host may call the program back while it completes requests, and the
  /// program leave that call by longjmp; or it must not be asked about just any of them as it is.
  void count_reason(int by) noexcept {  // threads may lose a count: with several nothing is late
    reasons_.store(reasons_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
  }
  /// Whom the host is asked about, if they have not been looked up. Whatever looks into the table meanwhile has them looked up
  /// before.
  void set_unread(Poll* poll) noexcept { unread_ = poll; }

  /// Whether an operation is in progress: persistent requests stay here between two.
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
  /// The entries of a row of handles; how many there are.
  int find(int count, const MPI_Request* handles, Pending** found) noexcept {
    read_unread();
    return Base::find(count, handles, found, meant);
  }

 private:
  std::atomic<int> reasons_{0};  // beside what empty() looks at
  Poll* unread_ = nullptr;

  /// The host calls the program back, which asks about a request that may have a handle of the row's by now.
  void read_unread() noexcept {
    if (unread_) [[unlikely]]
      read_poll();
  }
  void read_poll() noexcept;

  /// Unless a call is completing it: then the handle means a request of another thread that Heddle does not know.
  static constexpr auto meant = [](const Pending& pending) noexcept {
    return !pending.record.completing.load(std::memory_order_relaxed);
  };
};

/// The table of the process.
inline constinit Table table;

}  // namespace heddle::mpi::requests
