// mpi/process/process.cpp: Heddle's start and end in a process, from loading to MPI_Finalize;
// checks the host.
#include "mpi/process/process.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "interposition/children.hpp"
#include "interposition/devices.hpp"
#include "interposition/other_family.hpp"
#include "interposition/outcome.hpp"
#include "layout/immortal.hpp"
#include "layout/kernel/colliding_stores.hpp"
#include "layout/kernel/kernels.hpp"
#include "layout/pack_away.hpp"
#include "mpi/process/faults.hpp"
#include "mpi/process/host.hpp"
#include "select/host_name.hpp"
#include "select/instruction_set.hpp"
#include "settings/settings.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::mpi {

constinit Process process;

namespace {

settings::Settings& current() {
  static layout::Immortal<settings::Settings> set;
  return *set;
}

bool of_our_family([[maybe_unused]] Host host) {
#if HEDDLE_FAMILY_OPENMPI
  return host == Host::openmpi;
#elif HEDDLE_FAMILY_MPICH
  return host == Host::mpich;
#else
  return true;
#endif
}

/// Names the second MPI library of a process that is about to crash. The program goes on: a plugin
/// may have loaded that library, and use it rightly.
void warn_of_other_family() {
#if HEDDLE_FAMILY_OPENMPI || HEDDLE_FAMILY_MPICH
  if (!interposition::first_of_job()) return;
#if HEDDLE_FAMILY_OPENMPI
  const std::string other = interposition::other_family("MPIR_Dup_fn");  // the default MPI_COMM_DUP_FN of MPICH's family
  const char* const its_name = "mpich";
#else
  const std::string other = interposition::other_family("ompi_mpi_comm_world");  // Open MPI's MPI_COMM_WORLD
  const char* const its_name = "openmpi";
#endif
  if (other.empty()) return;
  const std::string message = "this interposer is built for " HEDDLE_FAMILY ", but the program has loaded " + other +
                              ", too. If it is linked with that library, it crashes now: start it with `heddle run --mpi " +
                              its_name + "`.";
  say(message.c_str());
#endif
}

}  // namespace

bool Process::wake() {
  const settings::Settings& set = current() = settings::from_environment();
  const bool speak = spokesman();
  if (speak)
    for (const std::string& complaint : set.complaints) say(complaint.substr(complaint.find(' ') + 1).c_str());
  report::verbose = set.verbose > 0;
  // Reports of HEDDLE=off name the host, too.
  host_ = select::host_of(host_name()) == Host::openmpi ? &select::openmpi_traits : &select::mpich_traits;
  if (!set.enabled) {
    if (report::verbose && speak) say("off (HEDDLE=off): every call goes straight to the MPI library.");
    return false;
  }
  if (const char* const driver = set.devices ? interposition::device_driver() : nullptr) {
    const std::string message =
        std::string("off, because ") + driver +
        " is loaded: Heddle cannot read memory of accelerators. Set HEDDLE_DEVICES=none for all ranks if "
        "no message lies there.";
    if (speak) say(message.c_str());
    return false;
  }
  if (const char* const setting = tolerates_faults()) {
    const std::string message =
        std::string("off, because ") + setting +
        " lets the job go on without ranks that have died: every call goes straight to the MPI library.";
    if (report::verbose && speak) say(message.c_str());
    return false;
  }
  if (const std::string complaint = select::use_instruction_set(set.isa); !complaint.empty()) say(complaint.c_str());
  layout::kernel::use(profile_of_machine().profile.kernels);
  layout::kernel::time_colliding_stores(set.trials);
  layout::try_ways_of_packing_away(set.trials);
  threads::Pool::of_process().keep_at_most(set.pool_limit);
  if (report::verbose && speak) {
    const std::string message = "on, over " + host_name() + ", built for " HEDDLE_FAMILY +
                                ", kernels: " + layout::kernel::name(layout::kernel::isa()) + ".";
    say(message.c_str());
  }
  return true;
}

std::string host_name() {
  // Large enough for any family: a program may run with the wrong interposer, and MPICH writes up
  // to 8192 bytes.
  char text[16384] = "";
  int length = 0;
  if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) return "an unknown MPI library";
  return select::host_name(text);
}

bool spokesman() {
  int initialized = 0;
  int rank = 0;
  int finalized = 0;
  if (PMPI_Initialized(&initialized) != MPI_SUCCESS || !initialized) return true;
  if (PMPI_Finalized(&finalized) == MPI_SUCCESS && finalized)
    return false;  // a session after MPI_COMM_WORLD: its rank 0 has said everything
  return PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0;
}

void end_job(const char* message) noexcept {
  say(message);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // MPICH's launcher drops messages not yet passed on
  PMPI_Abort(MPI_COMM_WORLD, 1);
}

std::string built_for() {
  return std::string("on, built for " HEDDLE_FAMILY ", kernels: ") + layout::kernel::name(layout::kernel::isa());
}

void check_host(bool have_entry_point) noexcept {
  if (!have_entry_point || !PMPI_Get_library_version)
    give_up("there is no MPI library behind this interposer (built for " HEDDLE_FAMILY
            "). Preloading it alone is not enough: start the program with `heddle run`, which preloads the library with it.");
  const std::string host = host_name();
  if (of_our_family(select::host_of(host))) {
    warn_of_other_family();
    return interposition::leave_children_alone(reinterpret_cast<const void*>(PMPI_Init));
  }
  const std::string message = "this interposer is built for " HEDDLE_FAMILY ", but the program runs on " + host +
                              ". Start it with `heddle run`, which finds the right one.";
  give_up(message.c_str());
}

void Process::host_started() noexcept {
  life_.begin([this] { return wake(); });
}

void Process::host_stops(void (*clean_up)()) noexcept {
  life_.end([clean_up] {
    clean_up();
    threads::Pool::of_process().clear();
  });
}

bool Process::running() noexcept {
  return life_.awake([this] { return wake(); });
}

const HostTraits& traits() noexcept { return process.host(); }

const settings::Settings& settings_of_process() noexcept { return current(); }

const select::Loaded& profile_of_machine() {
  static layout::Immortal<const select::Loaded> loaded([] {
    const std::string path = select::profile_path(settings_of_process().profile);
    return path.empty() ? select::Loaded{} : select::load(path, select::this_machine());
  }());
  return *loaded;
}

}  // namespace heddle::mpi
