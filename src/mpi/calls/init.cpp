// mpi/calls/init.cpp: start and end.
#include "mpi/communicators/known.hpp"
#include "mpi/exchange/companion.hpp"
#include "mpi/fortran/bindings.hpp"
#include "mpi/host.hpp"
#include "mpi/node/node.hpp"
#include "mpi/node/presence.hpp"
#include "mpi/progress/progress.hpp"
#include "mpi/reporting.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/lock.hpp"
#include "mpi/sparse/lane.hpp"
#include "mpi/start.hpp"

using namespace heddle::mpi;

namespace {

/// Sessions have thread levels of their own.
constinit std::atomic<bool> sessions{false};

/// With one thread in MPI at a time the table of requests needs no lock.
void look_at_threads() {
  int level = MPI_THREAD_MULTIPLE;
  if (sessions || PMPI_Query_thread(&level) != MPI_SUCCESS) return;
  requests::concurrent = level == MPI_THREAD_MULTIPLE;
}

/// MPI_COMM_WORLD is there: what Heddle does together with the other ranks begins.
void world_started() {
  host_started();
  look_at_threads();
  if (running()) {
    progress::start();
    fortran::load_beside_host();
    fortran::route();
  }
  const heddle::settings::Settings& set = settings_of_process();
  const unsigned ways = (set.scheme != heddle::settings::Scheme::native ? wish_node : 0) |
                        (set.collectives == heddle::settings::Collectives::automatic ? wish_exchange : 0);
  const unsigned wishes = (fortran::heard() ? ways : 0) | (set.report.empty() ? 0 : wish_report);
  const unsigned all = wished_by_all(running() ? wishes : 0, set);
  if (all & wish_node) Node::start();
  if (all & wish_report) start_reporting();
  if (all != 0) communicators::open();
  if (all & wish_exchange) {
    Companion::allow();
    Companion::of(MPI_COMM_WORLD);  // non-blocking collectives cannot make one
  }
}

void world_ends() {
  requests::finish_freed();
  communicators::close();
  finish_reporting();
  sparse::Lane::close();
  Companion::close();
  Node::stop();
  progress::stop();
}

}  // namespace

extern "C" {

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
  world_ends();
  host_stops();
  return PMPI_Finalize();
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  check_host(PMPI_Session_init != nullptr);
  sessions = requests::concurrent = true;
  const int result = PMPI_Session_init(info, errhandler, session);
  if (result == MPI_SUCCESS) host_started();
  return result;
}

int MPI_Session_finalize(MPI_Session* session) {
  host_stops();
  return PMPI_Session_finalize(session);
}

}  // extern "C"
