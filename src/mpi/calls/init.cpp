// mpi/calls/init.cpp: start and end.
#include "mpi/communicators/known.hpp"
#include "mpi/exchange/companion.hpp"
#include "mpi/host.hpp"
#include "mpi/node/node.hpp"
#include "mpi/node/presence.hpp"
#include "mpi/progress/progress.hpp"
#include "mpi/reporting.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/lock.hpp"
#include "mpi/say.hpp"
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

/// Settings by which ranks choose a collective's algorithm must be the same: a digest of them and its complement, so that of
/// what all wish both are whole only where all digests were equal.
constexpr unsigned digest_bits = 12;
constexpr unsigned digest_mask = (1U << digest_bits) - 1;
constexpr unsigned digest_at = 8;

unsigned digest_of(const heddle::settings::Settings& set) {
  unsigned digest = 0;
  for (const char c : set.allgatherv) digest = (digest * 31 + static_cast<unsigned char>(c)) & digest_mask;
  return digest << digest_at | (~digest & digest_mask) << (digest_at + digest_bits);
}

bool digests_are_equal(unsigned of_all) {
  return (((of_all >> digest_at) | (of_all >> (digest_at + digest_bits))) & digest_mask) == digest_mask;
}

/// MPI_COMM_WORLD is there: what Heddle does together with the other ranks begins.
void world_started() {
  host_started();
  look_at_threads();
  if (running()) progress::start();
  const heddle::settings::Settings& set = settings_of_process();
  const unsigned wishes = (set.scheme != heddle::settings::Scheme::native ? wish_node : 0) |
                          (set.report.empty() ? 0 : wish_report) |
                          (set.collectives == heddle::settings::Collectives::automatic ? wish_exchange : 0);
  const unsigned mine = running() ? wishes | digest_of(set) : 0;
  unsigned all = wished_by_all(mine);
  if (all & wish_exchange && !digests_are_equal(all)) {
    int rank = 0;
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0)
      say("HEDDLE_ALLGATHERV is not the same on all ranks: collectives are left to the MPI library. Set it for all, or for "
          "none.");
    all &= ~wish_exchange;
  }
  all &= (1U << digest_at) - 1;
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
