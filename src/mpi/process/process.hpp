// mpi/process/process.hpp: the start and end of Heddle in a process, the user's settings, and
// messages to the user.
#pragma once

#include <atomic>
#include <string>

#include "report/say.hpp"
#include "select/host_traits.hpp"
#include "select/profile_file.hpp"
#include "settings/settings.hpp"
#include "threads/life.hpp"

namespace heddle::mpi {

using report::end_before_the_program;
using report::give_up;
using report::say;
using report::say_once_verbose;
using select::Host;
using select::HostTraits;

/// The traits of the host. MPICH's until Heddle is awake, or has been found to be off.
const HostTraits& traits() noexcept;

/// Called before the host's MPI_Init, MPI_Init_thread and MPI_Session_init. Ends the process with a
/// message if there is no host, or if it is of another family. (An interposer of another family
/// would misread every handle.)
void check_host(bool have_entry_point) noexcept;

/// Heddle in this process.
class Process {
 public:
  constexpr Process() = default;

  /// After MPI_Init, MPI_Init_thread, MPI_Session_init; reads the settings and reports them.
  void host_started() noexcept;
  /// Before MPI_Finalize, MPI_Session_finalize. If this was the last user of MPI, `clean_up` is
  /// called while Heddle is still awake.
  void host_stops(void (*clean_up)()) noexcept;

  /// Heddle is on. In programs whose MPI_Init did not come to Heddle, the first datatype wakes it.
  bool running() noexcept;
  /// MPI_Init, a session or a datatype has come to Heddle.
  [[nodiscard]] bool has_started() const noexcept { return life_.has_begun(); }
  /// traits().
  [[nodiscard]] const HostTraits& host() const noexcept { return *host_.load(std::memory_order_relaxed); }

 private:
  /// False: Heddle is off.
  bool wake();

  threads::Life life_;  // its users are MPI_Init and every open session
  std::atomic<const HostTraits*> host_{&select::mpich_traits};
};
extern constinit Process process;

inline bool running() noexcept { return process.running(); }

/// The settings that Heddle read when it woke up.
const settings::Settings& settings_of_process() noexcept;
/// The costs of moving bytes on this machine (HEDDLE_PROFILE). Read once. Throws std::bad_alloc.
const select::Loaded& profile_of_machine();

/// The MPI library, as a person writes it: "Open MPI v5.0.11".
std::string host_name();
/// "on, built for Open MPI, kernels: avx512".
std::string built_for();
/// Prints `message` and ends the job by MPI_Abort.
void end_job(const char* message) noexcept;
/// True: this process prints messages for all ranks. Rank 0 does. Without MPI_COMM_WORLD, every
/// process does.
bool spokesman();

}  // namespace heddle::mpi
