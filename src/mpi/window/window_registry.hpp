// mpi/window/window_registry.hpp: the windows whose memory Heddle can access. A window is always
// the host's, with its flavour, attributes and errors. In addition, Heddle knows the addresses of
// other ranks' memory (engine/window/).
//
//   const int result = PMPI_Win_allocate(...);
//   if (result == MPI_SUCCESS) windows::meet(*win, comm, {base, size, disp_unit, false});
//   ...
//   if (Window* window = windows::table.find(win)) ...                                 // null: all is the host's
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "engine/window/mapped_files.hpp"
#include "engine/window/window.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/host.hpp"
#include "mpi/window/deferred_by_window.hpp"
#include "threads/handle_table.hpp"

namespace heddle::mpi {

class Window final : public engine::Window {
 public:
  /// @param mine  Of node.shared(). The window releases it.
  /// @param of_program  Its memory is the program's (MPI_Win_create).
  /// @param mappings  The targets' memory, if Heddle has mapped it itself.
  Window(MpiNode& node, std::vector<Target> targets, std::vector<int> places, engine::WindowCounters& mine, int me,
         bool of_program, std::vector<engine::SecondMapping> mappings)
      : engine::Window(std::move(targets), std::move(places), mine, me),
        node_(node),
        counters_(&mine),
        of_program_(of_program),
        mappings_(std::move(mappings)) {}
  ~Window() { node_.shared().release(counters_); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  [[nodiscard]] bool of_program() const noexcept { return of_program_; }
  /// Null: accesses of this window cannot wait for a fence. All ranks of the window find the same.
  [[nodiscard]] DeferredByWindow* deferred() const noexcept { return deferred_.get(); }
  void set_deferred(std::unique_ptr<DeferredByWindow> deferred) noexcept { deferred_ = std::move(deferred); }
  [[nodiscard]] bool crowded() const noexcept { return node_.crowded(); }
  [[nodiscard]] engine::ScratchPool& scratch_pool() const noexcept { return node_.scratch_pool(); }

  /// The system has refused to copy between two processes. The host gets such accesses from here
  /// on.
  void refuse_across() noexcept { refused_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool refuses_across() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  MpiNode& node_;
  std::atomic<bool> refused_{false};
  engine::WindowCounters* counters_;
  bool of_program_;
  std::vector<engine::SecondMapping> mappings_;
  std::unique_ptr<DeferredByWindow> deferred_;
};

namespace windows {

extern constinit threads::HandleTable<MPI_Win, Window> table;

/// Called in MPI_Init. True: on all ranks, HEDDLE_WINDOWS lets Heddle access windows.
/// @param of_program  Also windows of MPI_Win_create. All ranks have the same values.
void allow(bool is, bool of_program) noexcept;

/// A rank's memory in a window.
struct Exposed {
  void* base;
  Bytes size;
  Bytes unit;       ///< The displacement unit, bytes.
  bool of_program;  ///< The program has allocated it (MPI_Win_create).
};

/// The program has made a window. Collective over `comm`, the window's communicator: all its ranks
/// are in the call that makes the window.
void meet(MPI_Win win, MPI_Comm comm, const Exposed& mine);

/// The ranks of a group in the window's group; negative: not there. Empty for a group of none.
/// Nothing: the host does not say, or there is no memory.
std::optional<std::vector<int>> ranks_in(MPI_Win win, MPI_Group group);

/// Called before the program makes an error handler for windows.
void expect_handlers() noexcept;
/// True: if a call on the window fails, the program's handler hears of it, and the call may return
/// MPI_SUCCESS (HostTraits::forgets_heard_errors). Then Heddle does not know the window's epochs.
[[nodiscard]] bool hides_errors(MPI_Win win) noexcept;

/// Lives while a call of the program frees a window.
///   Freeing freeing(*win);
///   const int result = PMPI_Win_free(win);
///   if (result != MPI_SUCCESS) freeing.failed();
class Freeing {
 public:
  /// From here on, another thread may get the handle for a window of its own.
  explicit Freeing(MPI_Win win) noexcept : win_(win), window_(table.erase(win)) {}
  /// The window is still there.
  void failed() noexcept;

 private:
  MPI_Win win_;
  std::unique_ptr<Window> window_;
};

}  // namespace windows
}  // namespace heddle::mpi
