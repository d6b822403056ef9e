// mpi/calls/window.cpp: windows of memory that the host or the program has allocated, and the
// synchronization of all windows. The host carries out these calls as the program makes them.
// Heddle notes the epochs of windows that it knows (engine/window/window.hpp), and finishes
// receives whose requests the program has freed.
#include "entry_points.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/window/window_registry.hpp"
#include "report/reporting.hpp"

namespace heddle::mpi {
namespace {

/// MPI_Win_allocate and MPI_Win_allocate_shared.
int allocated(auto host, MPI_Aint size, auto disp_unit, MPI_Info info, MPI_Comm comm, void* baseptr, MPI_Win* win) {
  const int result = host(size, disp_unit, info, comm, baseptr, win);
  if (result == MPI_SUCCESS && win && baseptr)
    windows::meet(*win, comm, {*static_cast<void**>(baseptr), size, disp_unit, false});
  return result;
}

int created(auto host, void* base, MPI_Aint size, auto disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win* win) {
  const int result = host(base, size, disp_unit, info, comm, win);
  if (result == MPI_SUCCESS && win) windows::meet(*win, comm, {base, size, disp_unit, true});
  return result;
}

int freed_window(auto host, MPI_Win* win) {
  if (!win) return host(win);
  windows::Freeing freeing(*win);
  const int result = host(win);
  if (result != MPI_SUCCESS) freeing.failed();
  heddle::report::tell_of_new_handle();
  return requests::after_progress(result);
}

/// A call of synchronization has returned `result`.
/// @param note  Tells the window, if Heddle knows it.
template <class Note>
int synchronized(int result, MPI_Win win, const Note& note) {
  if (Window* const window = windows::table.find(win)) {
    if (result == MPI_SUCCESS)
      note(*window);
    else
      window->give_up();
  }
  return requests::after_progress(result);
}

/// MPI_Win_fence of a window that defers accesses. If an error handler of the program throws,
/// Heddle no longer knows the epochs of the window.
int deferring_fence(Window& window, auto host, int assertion, MPI_Win win) {
  try {
    return window.deferred()->fence(host, assertion, win);
  } catch (...) {
    window.give_up();
    throw;
  }
}

int fence(auto host, int assertion, MPI_Win win) {
  const auto by_host = [&](int of_host) { return host(of_host, win); };
  Window* const window = windows::table.find(win);
  // A wrong assertion is an error, which MPICH may hide. Then the fence has not taken place.
  constexpr int right = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
  const bool hidden = (assertion & ~right) != 0 && windows::hides_errors(win);
  const bool defers = window && !hidden && window->deferred();
  return synchronized(defers ? deferring_fence(*window, by_host, assertion, win) : by_host(assertion), win,
                      [&](Window& of_win) { of_win.fenced((assertion & MPI_MODE_NOSUCCEED) == 0); });
}
int lock(auto host, int type, int rank, int assertion, MPI_Win win) {
  return synchronized(host(type, rank, assertion, win), win,
                      [&](Window& window) { window.locked(rank, (assertion & MPI_MODE_NOCHECK) == 0); });
}
int unlock(auto host, int rank, MPI_Win win) {
  return synchronized(host(rank, win), win, [&](Window& window) { window.unlocked(rank); });
}
int lock_all(auto host, int assertion, MPI_Win win) {
  return synchronized(host(assertion, win), win,
                      [&](Window& window) { window.all_locked((assertion & MPI_MODE_NOCHECK) == 0); });
}
int unlock_all(auto host, MPI_Win win) {
  return synchronized(host(win), win, [](Window& window) { window.all_unlocked(); });
}
/// The ranks of a group take a quarter of a microsecond to find out, a fifth of an empty epoch. So
/// Heddle asks only if the user wants all accesses (HEDDLE_WINDOWS=on).
bool follows_starts() { return settings_of_process().windows == settings::Windows::on; }

int start(auto host, MPI_Group group, int assertion, MPI_Win win) {
  return synchronized(host(group, assertion, win), win, [&](Window& window) {
    if (!follows_starts())
      window.started({});  // its accesses are the host's
    else if (const std::optional<std::vector<int>> ranks = windows::ranks_in(win, group))
      window.started(*ranks);
    else
      window.give_up();
  });
}
int complete(auto host, MPI_Win win) {
  return synchronized(host(win), win, [](Window& window) { window.completed(); });
}
/// A post that is not counted keeps the origins waiting, which then leave their accesses to the
/// host.
int post(auto host, MPI_Group group, int assertion, MPI_Win win) {
  const int result = host(group, assertion, win);
  if (Window* const window = result == MPI_SUCCESS && follows_starts() ? windows::table.find(win) : nullptr)
    if (const std::optional<std::vector<int>> ranks = windows::ranks_in(win, group)) window->posted(*ranks);
  return result;
}
/// Calls that end or open no access epoch of this rank, or that leave it open.
int as_before(auto host, auto... arguments) { return requests::after_progress(host(arguments...)); }

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_Win_allocate(allocated);
HEDDLE_ENTRY_Win_allocate_shared(allocated);
HEDDLE_ENTRY_Win_create(created);
HEDDLE_ENTRY_Win_free(freed_window);
HEDDLE_ENTRY_Win_fence(fence);
HEDDLE_ENTRY_Win_start(start);
HEDDLE_ENTRY_Win_complete(complete);
HEDDLE_ENTRY_Win_post(post);
HEDDLE_ENTRY_Win_wait(as_before);
HEDDLE_ENTRY_Win_test(as_before);
HEDDLE_ENTRY_Win_lock(lock);
HEDDLE_ENTRY_Win_unlock(unlock);
HEDDLE_ENTRY_Win_lock_all(lock_all);
HEDDLE_ENTRY_Win_unlock_all(unlock_all);
HEDDLE_ENTRY_Win_flush(as_before);
HEDDLE_ENTRY_Win_flush_all(as_before);
}
