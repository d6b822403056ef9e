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

/// The row that the host is asked about, if its entries have not been looked up (completion.hpp), and to do so now.
class Row;
inline constinit Row* unread_row = nullptr;
void read_row() noexcept;
/// The host may call the program back while it completes requests, and the program leave that call by longjmp: no row stays
/// unread.
inline constinit std::atomic<bool> called_back{false};

class Table : threads::LockedTable<MPI_Request, Pending> {
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

  /// Whether an operation is in progress: persistent requests stay here between two.
  [[nodiscard]] bool any_active() noexcept {
    return any([](const Pending& each) { return each.record.active; });
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
  /// The host calls the program back, which asks about a request that may have a handle of the row's by now.
  static void read_unread() noexcept {
    if (unread_row) [[unlikely]]
      read_row();
  }
  /// Unless a call is completing it: then the handle means a request of another thread that Heddle does not know.
  static constexpr auto meant = [](const Pending& pending) noexcept {
    return !pending.record.completing.load(std::memory_order_relaxed);
  };
};

/// The table of the process.
inline constinit Table table;

}  // namespace heddle::mpi::requests
