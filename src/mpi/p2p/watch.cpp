// mpi/p2p/watch.cpp: watches a few descriptors at a time.
#include "mpi/p2p/watch.hpp"

#include <chrono>
#include <cstring>

#include "engine/base/wait.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/p2p/host_probe.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/request_table.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {
namespace {

constinit engine::WatchTurns turns;

bool due(int peer) noexcept {
  const settings::Watch watch = settings_of_process().watch;
  return watch == settings::Watch::some ? turns.next(peer) : watch == settings::Watch::all;
}

using Taken = engine::Watched<Delivery>::Taken;

/// True: the host has delivered it.
bool delivered(Delivery& each) {
  int done = 1;
  if (each.request != MPI_REQUEST_NULL && PMPI_Test(&each.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
  return done != 0;
}

/// Both are ranks of the node.
void end_job_for(const MpiNode& node, int receiver, int sender, int tag) {
  end_job(engine::received_past(node.world_rank(receiver), node.world_rank(sender), tag).c_str());
}

/// True: a receive of this process may have got the descriptor, and Heddle has not looked at it
/// yet.
bool receiving() noexcept {
  return threads::concurrent.load(std::memory_order_relaxed) || !requests::table.empty() || requests::freed.any() ||
         ProbeQueue::any() || StatusOf::in_use();
}

/// A peer says that this process has received one of its descriptors without claiming the message.
void judge(MpiNode& node) {
  engine::Unclaimed mine = node.unclaimed();
  const std::optional<engine::Unclaimed::Suspect> suspect = mine.suspect();
  if (!suspect || receiving() || mine.uncertain()) return;
  const engine::Control* const control = node.control_of(*suspect);
  if (!control || engine::claimed(*control, suspect->generation)) return mine.clear(*suspect);
  end_job_for(node, node.me(), static_cast<int>(suspect->sender), control->tag);
}

}  // namespace

Done Watch::send(const engine::Rendezvous& message, const Envelope& to) {
  // If a delete callback sends this, the host is about to free the communicator, and must not find
  // a request there.
  if (!due(message.peer()) || communicators::Freeing::of(to.comm)) return {};
  Taken taken(watched_, message.peer(), message.named(), message.control());
  if (!taken) return {};
  auto& [request, comm, bytes] = taken->delivery;
  comm = to.comm;
  std::memcpy(bytes, message.descriptor(), static_cast<std::size_t>(message.length()));
  request = MPI_REQUEST_NULL;
  const int result = PMPI_Issend(bytes, message.length(), MPI_BYTE, to.rank, to.tag, to.comm, &request);
  if (result == MPI_SUCCESS && request != MPI_REQUEST_NULL) taken.watch();
  return Raised::by_host(result);
}

void Watch::delivered(const engine::Rendezvous& message) noexcept {
  if (!due(message.peer())) return;
  Taken taken(watched_, message.peer(), message.named(), message.control());
  if (!taken) return;
  taken->delivery.request = MPI_REQUEST_NULL;
  taken.watch();
}

// When the last rank of a communicator calls MPI_Comm_free, all its receives are posted. A message
// that nobody receives is a mistake of the program. It costs at most a second here.
bool Watch::let_go(MPI_Comm comm) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + std::chrono::seconds(1);
  for (engine::Patience patience(true);;) {
    bool left = false;
    const bool looked = watched_.for_each_alone([&](auto& each) {
      Delivery& delivery = each.delivery;
      if (delivery.request != MPI_REQUEST_NULL && delivery.comm == comm && !mpi::delivered(delivery)) left = true;
    });
    if (looked && !left) return true;
    if (patience.pause() && Clock::now() > until) return false;
    if (Network* const network = Network::here()) network->advance();
  }
}

void Watch::look_closer(MpiNode& node) {
  watched_.look(mpi::delivered, [&](int peer) { return node.unclaimed(peer); });
  judge(node);
}

/// Each descriptor of this process that the host has delivered and that nobody has fetched.
void Watch::last_look(MpiNode& node) {
  constexpr int looks = 100;  // the host may have more to do before it knows
  watched_.for_each([&](auto& each) {
    MPI_Request& request = each.delivery.request;
    for (int i = 0; i < looks && !mpi::delivered(each.delivery); ++i) continue;
    if (request != MPI_REQUEST_NULL)
      PMPI_Request_free(&request);  // nobody has received it
    else if (!each.fetched() && !node.unclaimed(each.peer).uncertain())
      end_job_for(node, each.peer, node.me(), each.control->tag);
  });
}

// There may be more ranks than cores, and MPICH's own barrier spins again by now (progress.hpp). A
// rank that is not here yet may wait for a message between nodes.
void Watch::meet(MPI_Comm comm) {
  MPI_Request all_here = MPI_REQUEST_NULL;
  int done = 0;
  if (PMPI_Ibarrier(comm, &all_here) != MPI_SUCCESS) return;
  const auto over = [&] {
    if (Network* const network = Network::here()) network->advance();
    requests::look_after_freed();
    return PMPI_Test(&all_here, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
  };
  engine::wait_until(over, true);
}

void Watch::end(bool within_node, bool together) {
  if (!together) return uncertain();
  MpiNode* const node = within_node ? MpiNode::here() : nullptr;
  // A receive that the program has never completed may have taken its descriptor.
  if (node && (requests::table.any_active() || requests::freed.any() || ProbeQueue::any())) uncertain();
  meet(MPI_COMM_WORLD);
  requests::look_after_last_freed();
  if (!within_node) return;
  if (node) last_look(*node);
  // No rank leaves while another one ends the job. Open MPI's launcher has crashed and hung when
  // one rank aborted while another was in MPI_Finalize.
  meet(MPI_COMM_WORLD);
}

}  // namespace heddle::mpi
