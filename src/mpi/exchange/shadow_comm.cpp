// mpi/exchange/shadow_comm.cpp: makes, shares and frees the place, in calls that all ranks make in
// one order.
#include "mpi/exchange/shadow_comm.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "engine/base/give_way.hpp"
#include "mpi/collectives/peers.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/exchange/consistency_check.hpp"
#include "mpi/exchange/info_hints.hpp"
#include "mpi/node/job_agreement.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/process.hpp"
#include "threads/deferred.hpp"

namespace heddle::mpi {
namespace {

/// The ranks agree on a record by one reduction. Collective over `comm`.
Record agreed(MPI_Comm comm, bool able, bool noted, select::Numbers& numbers) noexcept {
  const settings::Settings& set = settings_of_process();
  int world = 0;
  int started = 0;
  if (PMPI_Initialized(&started) == MPI_SUCCESS && started) PMPI_Comm_rank(MPI_COMM_WORLD, &world);
  const TagSpace::Offer offer = able ? TagSpace::offer(comm) : TagSpace::Offer{};
  Record::Facts said = Record::said({.able = able,
                                     .room = offer.room,
                                     .noted = noted,
                                     .mailboxes = set.mailboxes && MpiNode::here(),
                                     .cores = engine::cores_of_node(),
                                     .number = numbers.offer(world),
                                     .shared = offer.number},
                                    set);
  if (transport::Assembly* const ranks = comm == MPI_COMM_WORLD ? MpiNode::starting() : nullptr)
    ranks->reduce(std::span<long>(said), [](long one, long other) { return std::min(one, other); });
  else
    PMPI_Allreduce(MPI_IN_PLACE, said.data(), static_cast<int>(said.size()), MPI_LONG, MPI_MIN, comm);
  const Record record(said);
  numbers.taken(record.number);
  return record;
}

/// True: it does so, or the host does not say.
bool meets_one_neighbour_twice(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  int dimensions = 0;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return true;
  if (topology != MPI_CART) return false;
  if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return true;
  std::vector<int> sizes(static_cast<std::size_t>(dimensions) + 1);  // hosts may dislike null arrays
  std::vector<int> periodic(sizes.size());
  std::vector<int> place(sizes.size());
  return PMPI_Cart_get(comm, dimensions, sizes.data(), periodic.data(), place.data()) != MPI_SUCCESS ||
         engine::meets_one_neighbour_twice(sizes, periodic);
}

}  // namespace

/// The context of a communicator of the program.
struct ShadowComm::Seat final : communicators::Context {
  Seat() noexcept;
  ~Seat() override;
  void leave() noexcept override;

  bool asked = false;                        ///< Its ranks have found out whether Heddle carries out its collectives.
  std::shared_ptr<ShadowComm> shadow;        ///< Null after that: Heddle does not.
  std::shared_ptr<ShadowComm> for_exchange;  ///< Serves sparse exchanges if `shadow` is null.
  std::unique_ptr<const GivenHints> hints;   ///< Ranks compare these when they make `shadow`.
  Seat* next = nullptr;                      ///< In the list of all.
  Seat* before = nullptr;
};

/// All seats of this process.
struct ShadowComm::All {
  std::atomic<bool> allowed{false};     ///< All ranks of MPI_COMM_WORLD have agreed to it.
  std::atomic<bool> reductions{false};  ///< The host can do the reductions by which ranks agree.
  select::Numbers numbers;
  std::mutex lock;
  Seat* seats = nullptr;
};
constinit ShadowComm::All ShadowComm::all;

ShadowComm::Seat::Seat() noexcept {
  const std::lock_guard guard(all.lock);
  next = std::exchange(all.seats, this);
  if (next) next->before = this;
}

ShadowComm::Seat::~Seat() {
  const std::lock_guard guard(all.lock);
  (before ? before->next : all.seats) = next;
  if (next) next->before = before;
}

void ShadowComm::Seat::leave() noexcept {
  if (shadow) shadow->leave();
  if (for_exchange) for_exchange->leave();
}

void ShadowComm::allow() noexcept {
  agree_on_links();
  all.reductions = Reductions::open();
  all.allowed = true;
}

ShadowComm::Seat* ShadowComm::seat_of(MPI_Comm comm) noexcept {
  const communicators::Communicator* const known = communicators::directory.find(comm);
  return known ? static_cast<Seat*>(known->context()) : nullptr;
}

/// The seat of a communicator whose ranks are being asked. Null: no memory, or the host does not
/// take an attribute.
ShadowComm::Seat* ShadowComm::seat_on(MPI_Comm comm) noexcept try {
  if (communicators::Freeing* const freeing = communicators::Freeing::of(comm)) {
    if (!freeing->context) freeing->context = std::make_unique<Seat>();
    return static_cast<Seat*>(freeing->context.get());
  }
  communicators::Communicator* const known = communicators::met(comm);
  if (!known) return nullptr;
  if (!known->context()) known->keep(new Seat);
  Seat* const seat = static_cast<Seat*>(known->context());
  seat->asked = true;
  return seat;
} catch (const std::bad_alloc&) {
  return nullptr;
}

std::unique_ptr<communicators::Context> ShadowComm::context_with(std::unique_ptr<const GivenHints> hints) {
  auto seat = std::make_unique<Seat>();
  seat->hints = std::move(hints);
  return seat;
}

bool ShadowComm::possible(MPI_Comm comm) {
  if (!all.allowed.load(std::memory_order_relaxed)) return false;
  const Peers peers(comm);
  return peers.known && !peers.inter && peers.ranks > 1 && communicators::members(comm);
}

ShadowComm::ShadowComm() {
  const settings::Settings& set = settings_of_process();
  algorithms_.emplace(
      reductions_, engine::AlgorithmChoice::Settings{
                       .alltoallv = set.alltoallv, .allgatherv = set.allgatherv, .trials = set.trials, .passing = !set.check});
}

// Reductions of all ranks go over the program's communicator, so they end before it does.
void ShadowComm::leave() noexcept {
  comparisons_.clear();
  algorithms_.reset();
}

ShadowComm::~ShadowComm() {
  leave();
  mailboxes_.reset();
}

ShadowComm* ShadowComm::made(MPI_Comm comm) noexcept {
  const Seat* seat = seat_of(comm);
  return seat ? seat->shadow.get() : nullptr;
}

bool ShadowComm::may_come(MPI_Comm comm) noexcept {
  if (!all.allowed.load(std::memory_order_relaxed) || comm == MPI_COMM_NULL) return false;
  const Seat* seat = seat_of(comm);
  return !(seat ? seat->asked : communicators::Freeing::of(comm) != nullptr);
}

ShadowComm* ShadowComm::of(MPI_Comm comm) {
  if (!all.allowed.load(std::memory_order_relaxed) || comm == MPI_COMM_NULL) return nullptr;
  const Seat* seat = seat_of(comm);
  return seat && seat->asked ? seat->shadow.get() : make(comm);
}

engine::MailRoom mail_room() noexcept {
  MpiNode* const node = MpiNode::here();
  if (!node) return {};
  return {.loans = settings_of_process().mailboxes ? &node->loans() : nullptr,
          .memory = node->memory(),
          .size = node->memory_size(),
          .crowded = node->crowded()};
}

void ShadowComm::make_mailboxes(MPI_Comm comm) {
  MpiNode* const node = MpiNode::here();
  engine::PairMailboxes::Peers peers;
  for (int rank = 0; node && rank < ranks_; ++rank)
    if (const int peer = rank == me_ ? -1 : node->peer(comm, rank); peer >= 0)
      peers.all.push_back({rank, node->reach(peer).memory});
  peers.choose_neighbours(out_, in_);
  settling_ = std::make_unique<Channel>(MPI_COMM_NULL, 0);
  mailboxes_ = std::make_unique<engine::PairMailboxes>(mail_room(), me_, std::move(peers));
}

// Steps that need memory or the host come before the reduction. If one rank fails there, no rank
// gets a shadow communicator.
std::shared_ptr<ShadowComm> ShadowComm::create(MPI_Comm comm, bool able, bool noted, bool collectives) {
  std::shared_ptr<ShadowComm> own;
  try {
    if (able) {
      own.reset(new ShadowComm);
      own->programs_ = comm;
      PMPI_Comm_size(comm, &own->ranks_);
      PMPI_Comm_rank(comm, &own->me_);
      own->node_ = communicators::reaches_beyond(comm) ? -1 : Placement::node();
      own->nodes_.resize(static_cast<std::size_t>(own->ranks_));
      if (collectives) {
        own->has_neighbours_ = own->look_at_topology(comm);
        own->make_mailboxes(comm);
      }
    }
  } catch (const std::bad_alloc&) {
    own.reset();
  }
  // Hosts have a limited number of context ids. A program that needs them all must not fail because
  // of a shadow communicator.
  const Quiet quiet(comm);
  const Record record = agreed(comm, own != nullptr, noted, all.numbers);
  if (!record.able) return nullptr;
  own->space_ = TagSpace::made(comm, {.shared = record.shared, .room = record.room, .number = record.number}, own->me_);
  if (!own->space_) return nullptr;
  own->record_ = record;
  if (collectives) own->compare_topology(comm);
  if (own->settling_) *own->settling_ = Channel(own->comm(), own->tag(tags::mailboxes));
  return own;
}

ShadowComm* ShadowComm::make(MPI_Comm comm) {
  if (communicators::Freeing::of(comm)) return nullptr;  // on all ranks: every collective there is left to the host
  threads::Deferred::free_all();
  const communicators::Peers peers(comm);
  if (!peers.known) return nullptr;
  Seat* seat = seat_on(comm);
  if (peers.inter || peers.ranks == 1 || communicators::reaches_beyond(comm)) return nullptr;
  // Without a seat, this rank cannot know at its next call that the ranks have been asked.
  if (!seat) communicators::raise(comm, MPI_ERR_NO_MEM);
  const bool able = seat && all.reductions && communicators::members(comm);
  std::shared_ptr<ShadowComm> own = create(comm, able, seat && seat->hints, true);
  if (!own) return nullptr;
  seat->shadow = std::move(own);
  const Record& record = seat->shadow->record();
  const std::unique_ptr<const GivenHints> hints = std::move(seat->hints);
  if (record.noted_by_all)
    settle(*hints, comm);
  else if (!record.noted_by_none)
    hints_lost(comm);
  return seat->shadow.get();
}

ShadowComm* ShadowComm::for_exchange(MPI_Comm comm) {
  if (ShadowComm* const own = of(comm)) return own;
  communicators::open();
  Seat* const seat = seat_on(comm);
  if (seat && seat->for_exchange) return seat->for_exchange.get();
  std::shared_ptr<ShadowComm> own = create(comm, seat != nullptr, false, false);
  if (!own) return nullptr;
  seat->for_exchange = std::move(own);
  return seat->for_exchange.get();
}

const select::Topology& ShadowComm::topology() {
  if (topology_) return *topology_;
  PMPI_Allgather(&node_, 1, MPI_INT, nodes_.data(), 1, MPI_INT, programs_);
  topology_.emplace(select::topology_of(nodes_, record_.cores, record_.mailboxes, links_of_job()));
  nodes_ = {};
  return *topology_;
}

void ShadowComm::keep(std::unique_ptr<Comparison> comparison) noexcept try {
  std::erase_if(comparisons_, [](const std::unique_ptr<Comparison>& one) { return one->over(false); });
  comparisons_.push_back(std::move(comparison));
} catch (const std::bad_alloc&) {
  return;  // it is waited for at once
}

int ShadowComm::tags() noexcept { return tag(tags::of_persistent(persistent_++, space_.highest())); }

// Frees them in the order of their numbers, because MPI_Comm_free is collective.
void ShadowComm::close(bool together) noexcept {
  all.allowed = false;
  if (!together) return;  // nothing that waits for other ranks: the process ends
  threads::Deferred::free_all();
  std::vector<std::shared_ptr<ShadowComm>> left;
  while (Seat* const seat = all.seats) {
    if (seat->shadow) left.push_back(std::move(seat->shadow));
    if (seat->for_exchange) left.push_back(std::move(seat->for_exchange));
    if (seat->of()) seat->of()->keep(nullptr);
    delete seat;
  }
  std::ranges::sort(left, {}, [](const std::shared_ptr<ShadowComm>& one) { return one->record().number; });
  for (std::shared_ptr<ShadowComm>& one : left) one.reset();
  Reductions::close();
}

bool ShadowComm::look_at_topology(MPI_Comm comm) {
  std::vector<int> from;
  std::vector<int> to;
  if (meets_one_neighbour_twice(comm) || !neighbour_ranks(comm, me_, from, to)) return false;
  in_ = engine::edges_to(from);
  out_ = engine::edges_to(to);
  return true;
}

// The library does not compare what ranks say in MPI_Dist_graph_create_adjacent. If a rank sends
// along an edge that the other end does not have, the library's messages still pass. Collective,
// only for such graphs.
void ShadowComm::compare_topology(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS || (topology != MPI_DIST_GRAPH && topology != MPI_GRAPH)) return;
  std::array<std::uint64_t, 2> said = {has_neighbours_ ? 0U : 1U, engine::difference_of_edges(me_, out_, in_)};
  const int error = PMPI_Allreduce(MPI_IN_PLACE, said.data(), 2, MPI_UINT64_T, MPI_SUM, comm);
  has_neighbours_ = error == MPI_SUCCESS && said[0] == 0 && said[1] == 0;
}

}  // namespace heddle::mpi
