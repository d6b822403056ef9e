// mpi/node/mpi_node.cpp: the ranks of a node find each other, once, in MPI_Init.
#include "mpi/node/mpi_node.hpp"

#include <exception>
#include <numeric>

#include "engine/base/give_way.hpp"
#include "engine/start/readiness.hpp"
#include "group/encoder.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/progress.hpp"

namespace heddle::mpi {

HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<MpiNode*> MpiNode::here_{nullptr};

namespace {

constexpr const char* goes_through_host = "messages within the node go through the MPI library";

engine::Node::Options options(int ranks) {
  const settings::Settings& set = settings_of_process();
  return {.crowded = ranks > engine::cores_of_node(),
          .profile = profile_of_machine().profile,
          .threshold = set.rendezvous,
          .moves_pieces = set.contiguous && set.messages != settings::Messages::native};
}

}  // namespace

transport::NodeOptions node_options(const settings::Settings& set) noexcept {
  return {.memory = set.node_memory, .prefault = engine::Arena::head, .opened = engine::Arena::head, .allowed = set.transports};
}

/// A rank that is about to join its node.
struct MpiNode::Place {
  int me = 0;
  engine::Nonce fresh_nonce{};
  std::vector<int> members;  // the ranks of MPI_COMM_WORLD on this node
  std::unique_ptr<transport::JoinedNode> transport;

  /// Does everything that needs memory, before the ranks depend on each other.
  bool prepare(MPI_Comm node) noexcept try {
    int node_me = 0;
    int node_ranks = 0;
    if (PMPI_Comm_rank(node, &node_me) != MPI_SUCCESS || PMPI_Comm_size(node, &node_ranks) != MPI_SUCCESS) return false;
    fresh_nonce = engine::random_nonce();
    members.resize(static_cast<std::size_t>(node_ranks));
    transport = std::make_unique<transport::JoinedNode>(node_me, node_ranks, node_options(settings_of_process()));
    return true;
  } catch (const std::exception& error) {
    say_once_verbose(goes_through_host, error.what());
    return false;
  }
};

MpiNode::MpiNode(std::unique_ptr<transport::JoinedNode> transport, const engine::Nonce& nonce, const Options& options,
                 group::Group ranks)
    : engine::Node(std::move(transport), nonce, options), ranks_(std::move(ranks)) {}

std::optional<engine::Nonce> MpiNode::agreed(const Place& place, bool ready) noexcept {
  engine::Readiness all(ready, place.fresh_nonce, place.me);
  PMPI_Allreduce(MPI_IN_PLACE, all.numbers(), engine::Readiness::count, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all.nonce();
}

namespace {

/// Called while this rank waits for ranks of its node. They may wait for a message that it has
/// sent.
void keep_host_going() noexcept { progress::once(); }

/// Collective. True: `done` on all ranks.
bool all_have(bool done, MPI_Comm ranks) {
  int all = done ? 1 : 0;
  return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, ranks) == MPI_SUCCESS && all != 0;
}

}  // namespace

/// All ranks of the job are on one machine, and rank 0 has made a file for them. Collective over
/// MPI_COMM_WORLD. True: all ranks have the file now.
bool MpiNode::attached(Place& place, bool ready, transport::CommonFile& file) noexcept {
  return all_have(ready && place.transport->attach(file, keep_host_going), MPI_COMM_WORLD);
}

/// Each rank makes a file of its own. The ranks have agreed on a nonce before.
void MpiNode::join(Place& place, MPI_Comm ranks) noexcept {
  if (ranks != MPI_COMM_WORLD) PMPI_Allgather(&place.me, 1, MPI_INT, place.members.data(), 1, MPI_INT, ranks);
  place.transport->join([ranks](const void* mine, std::size_t bytes, void* all) {
    return PMPI_Allgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, ranks) ==
           MPI_SUCCESS;
  });
}

// Steps that may fail in one rank alone lie between two collectives. The second collective tells
// all ranks whether a step has failed. A rank comes to every collective, also after a failure.
void MpiNode::start(MPI_Comm ranks, bool messages, transport::CommonFile& file) noexcept {
  Place place;
  const bool ready = PMPI_Comm_rank(MPI_COMM_WORLD, &place.me) == MPI_SUCCESS && ranks != MPI_COMM_NULL && place.prepare(ranks);
  std::optional<engine::Nonce> nonce;
  std::iota(place.members.begin(), place.members.end(), 0);
  if (file.offered() && attached(place, ready, file)) {
    place.transport->join_attached();
    nonce = place.transport->nonce();
  } else {
    nonce = agreed(place, ready);
    if (!nonce) return;
    join(place, ranks);
  }
  assembly() = place.transport->assembly();
  std::unique_ptr<MpiNode> here = made(place, *nonce);
  if (here) here->carries_messages_ = messages;

  // All ranks of this node or none: every receiver must know a descriptor when it comes.
  possible_ = starting() ? starting()->all(here != nullptr) : all_have(here != nullptr, ranks);
  if (!possible_ || place.members.size() == 1) return;
  ever_.store(here.get(), std::memory_order_release);
  here_.store(here.release(), std::memory_order_release);
}

std::unique_ptr<MpiNode> MpiNode::made(Place& place, const engine::Nonce& nonce) noexcept try {
  transport::JoinedNode& transport = *place.transport;
  if (!transport.why().empty() && transport.me() == 0) say(transport.why().c_str());
  if (!transport.memory(transport.me())) return nullptr;
  group::Encoder ranks;
  for (const int rank : place.members) ranks.add(rank);
  const Options set = options(transport.size());
  std::unique_ptr<MpiNode> here(new MpiNode(std::move(place.transport), nonce, set, ranks.finish()));
  if (const std::string& complaint = profile_of_machine().complaint; place.me == 0 && !complaint.empty())
    say(complaint.c_str());
  return here;
} catch (const std::exception& error) {
  say_once_verbose(goes_through_host, error.what());
  return nullptr;
}

bool MpiNode::leaves_to_host(int peer, Bytes bytes, bool blocking) noexcept {
  return traits().packs_while_it_sends && settings_of_process().scheme == settings::Scheme::automatic &&
         better_by_host(peer, bytes, blocking);
}

void MpiNode::stop() noexcept {
  // Never freed: a thread may still be in a call, and the process is about to end.
  here_.store(nullptr);
}

}  // namespace heddle::mpi
