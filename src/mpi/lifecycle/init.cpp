// mpi/lifecycle/init.cpp: the start and the end: MPI_Init, MPI_Finalize, and those of sessions.
#include <ctime>

#include "interposition/interposition.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/file/file.hpp"
#include "mpi/lifecycle/lifecycle.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/node/job_agreement.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/p2p/host_probe.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/process/faults.hpp"
#include "mpi/process/heap.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/progress.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/window/window_registry.hpp"
#include "threads/lock.hpp"

using namespace heddle::mpi;

namespace {

/// Sessions have thread levels of their own.
constinit std::atomic<bool> sessions{false};

/// With one thread in MPI at a time the table of requests needs no lock.
void look_at_threads() {
  int level = MPI_THREAD_MULTIPLE;
  if (sessions || PMPI_Query_thread(&level) != MPI_SUCCESS) return;
  heddle::threads::concurrent = level == MPI_THREAD_MULTIPLE;
}

/// All ranks have agreed on messages within the node.
constinit std::atomic<bool> within_node{false};
/// All ranks run Heddle.
constinit std::atomic<bool> meets_at_end{false};

void forget_all() {
  requests::finish_freed();
  forget_types();
}

void world_ends() {
  const bool probes = descriptors_come();
  requests::wait_for_freed();
  const bool together = finalize_waits();
  const bool meets = meets_at_end;
  if (meets) Watch::end(within_node, together);
  requests::finish_freed();
  Network::stop(together);
  communicators::close();
  finish_explaining();
  finish_reporting(together, meets);
  ShadowComm::close(together);
  if (probes) ProbeQueue::of_process().close();
  MpiNode::stop();
  process.host_stops(forget_all);
}

/// MPI_Finalize begins by freeing MPI_COMM_SELF, and so calls this.
int self_freed(MPI_Comm /*self*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  world_ends();
  return MPI_SUCCESS;
}

/// Attributes of MPI_COMM_SELF are deleted in the reverse order in which they were set (MPI-5.0
/// §11.2.4). MPI works until the last of them is deleted, so a program may still receive in a
/// callback of its own. Therefore Heddle ends in the callback of an attribute that it has set
/// before all others.
bool ends_with_self() {
  int keyval = MPI_KEYVAL_INVALID;
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, self_freed, &keyval, nullptr) != MPI_SUCCESS) return false;
  const bool set = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr) == MPI_SUCCESS;
  PMPI_Comm_free_keyval(&keyval);  // it goes with the attribute
  return set;
}
constinit std::atomic<bool> ends_by_itself{false};

/// From the end of the host's MPI_Init to the end of Heddle's, ms.
struct StartTook {
  double elapsed = 0;
  double work = 0;  ///< This rank's own part of it: time on a core.
};
constinit StartTook took;

double ms_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

/// MPI_COMM_WORLD is there: what Heddle does together with the other ranks begins.
void world_started() {
  const StartTook before{ms_of(CLOCK_MONOTONIC), ms_of(CLOCK_THREAD_CPUTIME_ID)};
  ends_by_itself = ends_with_self();
  process.host_started();
  look_at_threads();
  if (running()) progress::start();
  const heddle::settings::Settings& set = settings_of_process();
  if (running() && set.keep_heap) keep_heap();
  const bool native = set.scheme == heddle::settings::Scheme::native;
  const bool hosts = set.messages == heddle::settings::Messages::native;
  const unsigned ways = (native ? 0 : wish_node) | (hosts ? 0 : wish_messages) |
                        (native || hosts || !running() || !Network::may_gain(set) ? 0 : wish_fabric) |
                        (set.collectives == heddle::settings::Collectives::automatic ? wish_exchange : 0);
  const unsigned of_windows = native || set.windows == heddle::settings::Windows::off ? 0
                              : set.windows == heddle::settings::Windows::on          ? wish_windows | wish_created
                                                                                      : wish_windows;
  const unsigned of_files = set.files == heddle::settings::FileAccess::off ? 0 : wish_files;
  const char* const missed = running() ? heddle::interposition::misses() : nullptr;
  if (running() && !set.doctor) say_tools_if_asked();
  if (missed) say_once_verbose("messages within the node go through the MPI library", missed);
  const bool told = !set.report.empty() || !set.trace.empty() || set.log != heddle::settings::Log::off;
  const unsigned wishes = (missed ? 0 : ways | of_windows | of_files) | (told && !set.doctor ? wish_report : 0);
  auto [all, one_machine, file] =
      agree(running() ? wishes | wish_meeting : wishes & wish_report, set);  // times are told with HEDDLE=off, too
  if (running() && spokesman() && (wishes & ways & ~all))
    say_once_verbose("messages within the node or collectives go through the MPI library",
                     "not every rank takes part (HEDDLE=off or another setting there, or something passes Heddle there)");
  within_node = (all & wish_node) != 0;
  meets_at_end = (all & wish_meeting) != 0;
  all &= ~wish_meeting;
  bool one_node = false;
  if (all & (wish_node | wish_fabric | wish_exchange)) {
    const Placement placement(one_machine);
    one_node = !placement.several();
    if (within_node) MpiNode::start(placement.ranks(), (all & wish_messages) != 0, file);
    if ((all & wish_fabric) && placement.several()) Network::start();
    if (!(ways & wish_fabric) && placement.several() && set.fabric == "auto" && !native && !hosts)
      say_once_verbose("messages between nodes go through the MPI library", Network::no_adapter);
  }
  if (all & wish_report) start_reporting();
  if (running() && all != 0) communicators::open();
  if (all & wish_exchange) {
    ShadowComm::allow();
    ShadowComm::of(MPI_COMM_WORLD);  // non-blocking collectives cannot make one
  }
  files::allow((all & wish_files) != 0);
  windows::allow(within_node && (all & wish_windows) != 0, one_node || (all & wish_created) != 0);
  MpiNode::started();
  start_explaining();
  took = {ms_of(CLOCK_MONOTONIC) - before.elapsed, ms_of(CLOCK_THREAD_CPUTIME_ID) - before.work};
  if (!set.doctor) return;
  say_findings({.missed = missed, .wanted = ways, .all = all});
  MPI_Finalize();
  end_before_the_program();
}

}  // namespace

extern "C" {

#pragma GCC visibility push(default)
void heddle_seen_start(double* elapsed_ms, double* work_ms);
#pragma GCC visibility pop

/// For `heddle bench startup`.
void heddle_seen_start(double* elapsed_ms, double* work_ms) {
  *elapsed_ms = took.elapsed;
  *work_ms = took.work;
}

int MPI_Init(int* argc, char*** argv) {
  check_host(PMPI_Init != nullptr);
  const int result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) world_started();
  return result;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  check_host(PMPI_Init_thread != nullptr);
  const int result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) world_started();
  return result;
}

int MPI_Finalize() {
  report_end(__builtin_return_address(0));
  progress::stop();  // MPICH waits for the end of its hooks before it calls back, and takes no new hooks then
  Network::ends();   // a fabric that opens later would need such a hook
  files::finalize_begins();
  if (!ends_by_itself) world_ends();
  return PMPI_Finalize();
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  check_host(PMPI_Session_init != nullptr);
  sessions = heddle::threads::concurrent = true;
  const int result = PMPI_Session_init(info, errhandler, session);
  if (result == MPI_SUCCESS) process.host_started();
  if (result == MPI_SUCCESS && settings_of_process().doctor) {
    say_findings_of_session();
    MPI_Session_finalize(session);
    end_before_the_program();
  }
  return result;
}

int MPI_Session_finalize(MPI_Session* session) {
  process.host_stops(forget_all);
  return PMPI_Session_finalize(session);
}

}  // extern "C"
