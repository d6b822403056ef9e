// mpi/node/node.cpp: the ranks of a node find each other, once, in MPI_Init.
#include "mpi/node/node.hpp"

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "group/encoder.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/profile.hpp"
#include "mpi/process/progress.hpp"
#include "mpi/process/say.hpp"
#include "mpi/process/traits.hpp"
#include "select/left_to_host.hpp"

namespace heddle::mpi {
namespace {

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// A number that no program sends by chance.
engine::Nonce random_nonce() {
  const engine::Nonce nonce = transport::random_secret();
  if (nonce == engine::Nonce{}) throw std::runtime_error("the system gives no random numbers");
  return nonce;
}

/// The first of the node memory, where most of what is staged lies, gets a huge page when so many times its size have been
/// sent: the kernel takes some ms for one where it has to make room, and many jobs send little. Where ranks are more than cores
/// it may take minutes (transport::HugePages), and none is asked for.
constexpr Bytes first_chunk = Bytes{2} << 20;
constexpr Bytes huge_after = 32 * first_chunk;

constexpr const char* goes_through_host = "messages within the node go through the MPI library";

}  // namespace

/// A rank on its way into its node.
struct Node::Place {
  int me = 0;
  engine::Nonce fresh_nonce{};
  std::vector<int> members;  // of the node: ranks of the world
  std::unique_ptr<transport::Node> transport;

  /// Everything that needs memory before the ranks depend on each other.
  bool prepare(MPI_Comm node) noexcept try {
    int node_me = 0;
    int node_ranks = 0;
    if (PMPI_Comm_rank(node, &node_me) != MPI_SUCCESS || PMPI_Comm_size(node, &node_ranks) != MPI_SUCCESS) return false;
    const settings::Settings& set = settings_of_process();
    fresh_nonce = random_nonce();
    members.resize(static_cast<std::size_t>(node_ranks));
    transport = std::make_unique<transport::Node>(node_me, node_ranks,
                                                  transport::NodeOptions{.memory = set.node_memory,
                                                                         .prefault = engine::Arena::head,
                                                                         .allow_mapped = set.transports.mapped,
                                                                         .allow_cma = set.transports.cma,
                                                                         .allow_ring = set.transports.ring});
    return true;
  } catch (const std::exception& error) {
    say_once_verbose(goes_through_host, error.what());
    return false;
  }
};

Node::Node(std::unique_ptr<transport::Node> transport, const engine::Nonce& nonce, group::Group ranks)
    : transport_(std::move(transport)),
      nonce_(nonce),
      arena_(transport_->memory(transport_->me()), transport_->memory_size(), transport::populate_owned,
             transport::release_owned),
      distances_(transport_->size(), now_ns),
      outbox_(arena_, nonce, static_cast<std::uint32_t>(transport_->me()), now_ns, transport_->size() > progress::cores(),
              {&desks_, distances_}),
      scatter_hints_(arena_.base()),
      shared_(*transport_, transport::Commit::as_the_system,
              outbox_.crowded() ? transport::HugePages::never : transport::HugePages::when_used),
      theirs_(*transport_),
      ranks_(std::move(ranks)),
      profile_(profile_of_machine()),
      threshold_(std::max(settings_of_process().rendezvous, Bytes{sizeof(engine::Descriptor)})),
      moves_pieces_(settings_of_process().contiguous && settings_of_process().messages != settings::Messages::native &&
                    !outbox_.crowded()) {}

// What may fail in one rank alone lies between two collectives, and the second says whether it has: whatever happens in a rank,
// it comes to every collective that the others come to.
void Node::start(MPI_Comm ranks, bool messages) noexcept {
  Place place;
  int ready = PMPI_Comm_rank(MPI_COMM_WORLD, &place.me) == MPI_SUCCESS && ranks != MPI_COMM_NULL && place.prepare(ranks);
  engine::Nonce nonce = place.fresh_nonce;
  PMPI_Bcast(nonce.data(), sizeof nonce, MPI_BYTE, 0, MPI_COMM_WORLD);
  PMPI_Allreduce(MPI_IN_PLACE, &ready, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!ready) return;

  PMPI_Allgather(&place.me, 1, MPI_INT, place.members.data(), 1, MPI_INT, ranks);
  place.transport->join([ranks](const void* mine, std::size_t bytes, void* all) {
    return PMPI_Allgather(mine, static_cast<int>(bytes), MPI_BYTE, all, static_cast<int>(bytes), MPI_BYTE, ranks) ==
           MPI_SUCCESS;
  });
  std::unique_ptr<Node> here = made(place, nonce);
  if (here) here->carries_messages_ = messages;

  // Everybody or nobody on this node: whoever receives must know a descriptor when one comes.
  int able = here ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, ranks);
  possible_ = able != 0;
  if (!able || place.members.size() == 1) return;
  ever_.store(here.get(), std::memory_order_release);
  here_.store(here.release(), std::memory_order_release);
}

std::unique_ptr<Node> Node::made(Place& place, const engine::Nonce& nonce) noexcept try {
  transport::Node& transport = *place.transport;
  if (!transport.why().empty() && transport.me() == 0) say(transport.why().c_str());
  if (!transport.memory(transport.me())) return nullptr;
  group::Encoder ranks;
  for (const int rank : place.members) ranks.add(rank);
  std::unique_ptr<Node> here(new Node(std::move(place.transport), nonce, ranks.finish()));
  if (place.me == 0 && !here->profile_.complaint.empty()) say(here->profile_.complaint.c_str());
  return here;
} catch (const std::exception& error) {
  say_once_verbose(goes_through_host, error.what());
  return nullptr;
}

engine::Reach Node::reach(int peer) noexcept {
  return {.memory = transport_->memory(peer),
          .memory_size = transport_->memory_size(),
          .theirs = &theirs_,
          .process = transport_->can_read(peer) ? transport_->pid(peer) : 0,
          .known = &known_,
          .desks = &desks_,
          .distances = &distances_,
          .crowded = crowded()};
}

bool Node::leaves_to_host(int peer, Bytes bytes, bool blocking) noexcept {
  if (!traits().packs_while_it_sends || settings_of_process().scheme != settings::Scheme::automatic) return false;
  const select::Nearby message{
      .own = peer == me(), .blocking = blocking, .crowded = crowded(), .line = static_cast<double>(distances_.line(peer))};
  return select::left_to_host(message) && (message.own || bytes < engine::Distances::worthwhile || !distances_.due(peer));
}

void Node::has_sent(Bytes bytes) noexcept {
  const Bytes before = sent_.fetch_add(bytes, std::memory_order_relaxed);
  if (before < huge_after && before + bytes >= huge_after && !crowded() &&
      !transport::prefault_owned(arena_.base(), std::min(first_chunk, memory_size())))
    say_once_verbose("staging buffers stay in small pages", "no memory");
}

void Node::tell_to_scatter(int peer) noexcept {
  if (std::byte* memory = transport_->memory(peer)) engine::ScatterHints(memory).set(transport_->me());
}

void Node::stop() noexcept {
  // Freed by nobody: a thread may still be in a call, and the process is about to end.
  here_.store(nullptr);
}

}  // namespace heddle::mpi
