// mpi/exchange/shadow_comm.cpp
#include "mpi/exchange/shadow_comm.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "layout/lasting.hpp"
#include "mpi/communicators/known.hpp"
#include "mpi/communicators/quiet.hpp"
#include "mpi/exchange/alike.hpp"
#include "mpi/exchange/hints.hpp"
#include "mpi/exchange/numbered.hpp"
#include "mpi/exchange/pair_mailboxes.hpp"
#include "mpi/handles/deferred.hpp"
#include "mpi/handles/table.hpp"
#include "mpi/node/links.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

std::atomic<bool> allowed{false};

/// Of 2048 context ids that MPICH 5.0.2 has, the rest is the program's.
constexpr int most_alive = 256;
std::atomic<int> alive{0};

/// The host does the reductions that ranks agree by.
std::atomic<bool> reductions{false};

/// What hangs on a communicator of the program's.
struct Seat final : Deferred {
  void free() override;

  std::shared_ptr<ShadowComm> shadow;  ///< Null: looked at, and not for Heddle.
};

/// Asked by every collective; writers hold Seats::lock, too.
constinit HandleTable<MPI_Comm, Seat> seated;

struct Seats {
  std::mutex lock;
  std::set<Seat*> all;
  int keyval = MPI_KEYVAL_INVALID;
};
Seats& seats() {
  static layout::Lasting<Seats> seats;
  return *seats;
}

int not_copied(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;
  return MPI_SUCCESS;
}

void Seat::free() {
  {
    const std::lock_guard guard(seats().lock);
    seats().all.erase(this);
  }
  delete this;
}

int freed(MPI_Comm comm, int, void* attribute, void*) {
  if (!allowed) return MPI_SUCCESS;  // closed already
  seated.erase(comm);
  Deferred::add(static_cast<Seat*>(attribute));
  return MPI_SUCCESS;
}

/// Null: no memory, or the host does not take the attribute.
Seat* seat_on(MPI_Comm comm) try {
  Seats& known = seats();
  const std::lock_guard guard(known.lock);
  if (known.keyval == MPI_KEYVAL_INVALID && PMPI_Comm_create_keyval(not_copied, freed, &known.keyval, nullptr) != MPI_SUCCESS)
    return nullptr;
  auto seat = std::make_unique<Seat>();
  seated.insert(comm, seat.get());
  known.all.insert(seat.get());
  if (PMPI_Comm_set_attr(comm, known.keyval, seat.get()) == MPI_SUCCESS) return seat.release();
  known.all.erase(seat.get());
  seated.erase(comm);
  return nullptr;
} catch (const std::bad_alloc&) {
  seated.erase(comm);
  return nullptr;
}

/// The k-th edge from a rank belongs to that rank's k-th edge to us.
void number(std::vector<Edge>& edges) {
  std::unordered_map<int, int> seen;
  for (Edge& edge : edges) edge.tag = seen[edge.rank]++;
}

std::vector<Edge> edges_to(const std::vector<int>& ranks) {
  std::vector<Edge> edges;
  edges.reserve(ranks.size());
  for (const int rank : ranks) edges.push_back({rank, 0});
  number(edges);
  return edges;
}

}  // namespace

void ShadowComm::allow() noexcept {
  agree_on_links();
  reductions = Agreement::open();
  allowed = true;
}

bool ShadowComm::possible(MPI_Comm comm) {
  int inter = 0;
  int ranks = 0;
  return allowed.load(std::memory_order_relaxed) && comm != MPI_COMM_NULL &&
         PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter && PMPI_Comm_size(comm, &ranks) == MPI_SUCCESS &&
         ranks > 1 && communicators::members(comm) && !communicators::reaches_beyond(comm);
}

const std::string& ShadowComm::wanted_alltoallv() const noexcept {
  return hints_.alltoallv.empty() ? settings_of_process().alltoallv : hints_.alltoallv;
}

const std::string& ShadowComm::wanted_allgatherv() const noexcept {
  return hints_.allgatherv.empty() ? settings_of_process().allgatherv : hints_.allgatherv;
}

ShadowComm::ShadowComm() = default;

ShadowComm::~ShadowComm() {
  comparisons_.clear();
  agreement_.reset();
  mailboxes_.reset();
  if (comm_ == MPI_COMM_NULL) return;
  PMPI_Comm_free(&comm_);
  --alive;
}

ShadowComm* ShadowComm::made(MPI_Comm comm) noexcept {
  const Seat* seat = seated.find(comm);
  return seat ? seat->shadow.get() : nullptr;
}

bool ShadowComm::may_come(MPI_Comm comm) noexcept {
  return allowed.load(std::memory_order_relaxed) && comm != MPI_COMM_NULL && !seated.find(comm);
}

ShadowComm* ShadowComm::of(MPI_Comm comm) {
  if (!allowed.load(std::memory_order_relaxed) || comm == MPI_COMM_NULL) return nullptr;
  const Seat* seat = seated.find(comm);
  return seat ? seat->shadow.get() : make(comm);
}

// What needs memory or the host comes before the reduction: one rank that fails keeps all from it.
ShadowComm* ShadowComm::make(MPI_Comm comm) {
  Deferred::free_all();
  int inter = 0;
  int ranks = 0;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return nullptr;
  Seat* seat = seat_on(comm);
  if (inter || ranks == 1 || communicators::reaches_beyond(comm)) return nullptr;
  // Nothing will tell this rank at its next call that the others have been asked.
  if (!seat) communicators::raise(comm, MPI_ERR_NO_MEM);
  std::shared_ptr<ShadowComm> own;
  int able = 0;
  try {
    if (seat && reductions && alive < most_alive && communicators::members(comm)) {
      own.reset(new ShadowComm);
      own->ranks_ = ranks;
      PMPI_Comm_rank(comm, &own->me_);
      own->has_neighbours_ = own->look_at_topology(comm);
      own->mailboxes_ = std::make_unique<PairMailboxes>(comm, own->me_, ranks);
      able = 1;
    }
  } catch (const std::bad_alloc&) {
    able = 0;
  }
  // Hosts have so many context ids and no more: a program that needs them all must not fail for a shadow communicator's sake.
  const Quiet quiet(comm);
  const int noted = hints_noted(comm);
  int world_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  enum : std::uint8_t { all_able, all_noted, none_noted, number };
  std::array<long, 4> said = {able, noted, !noted, -numbered::offer(world_rank)};
  PMPI_Allreduce(MPI_IN_PLACE, said.data(), said.size(), MPI_LONG, MPI_MIN, comm);
  if (!said[all_able] || PMPI_Comm_split(comm, 0, own->me_, &own->comm_) != MPI_SUCCESS) return nullptr;
  ++alive;
  own->number_ = -said[number];
  numbered::taken(own->number_);
  PMPI_Comm_set_errhandler(own->comm_, MPI_ERRORS_RETURN);
  seat->shadow = std::move(own);
  if (said[all_noted])
    hints_come(comm);
  else if (!said[none_noted])
    hints_lost(comm);
  return seat->shadow.get();
}

void ShadowComm::keep(std::unique_ptr<Comparison> comparison) noexcept try {
  std::erase_if(comparisons_, [](const std::unique_ptr<Comparison>& one) { return one->over(false); });
  comparisons_.push_back(std::move(comparison));
} catch (const std::bad_alloc&) {
  return;  // it is waited for at once
}

int ShadowComm::tags() noexcept {
  constexpr int first = 1 << 15;  // below are those of all others
  constexpr int each = 1 << 12;   // a rank is seldom a neighbour more often
  const int* highest = nullptr;
  int there = 0;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &there) != MPI_SUCCESS || !there) return 0;
  const int many = (*highest - first) / each;
  return many > 0 ? first + each * (persistent_++ % many) : 0;
}

void ShadowComm::close() noexcept {
  Deferred::free_all();
  allowed = false;
  std::vector<Seat*> all;
  {
    const std::lock_guard guard(seats().lock);
    all.assign(seats().all.begin(), seats().all.end());
    seats().all.clear();
    seated.clear();
    if (seats().keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&seats().keyval);
  }
  std::ranges::sort(all, {}, [](const Seat* seat) { return seat->shadow ? seat->shadow->number() : 0; });
  for (const Seat* seat : all) delete seat;
  close_hints();
  Agreement::close();
}

bool ShadowComm::look_at_topology(MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return false;
  std::vector<int> from;
  std::vector<int> to;
  if (topology == MPI_CART) {
    int dimensions = 0;
    if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return false;
    std::vector<int> sizes(static_cast<std::size_t>(dimensions) + 1);
    std::vector<int> periodic(sizes.size());
    std::vector<int> place(sizes.size());
    if (PMPI_Cart_get(comm, dimensions, sizes.data(), periodic.data(), place.data()) != MPI_SUCCESS) return false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimensions); ++i) {
      int below = MPI_PROC_NULL;
      int above = MPI_PROC_NULL;
      if (periodic[i] && sizes[i] <= 2) return false;
      if (PMPI_Cart_shift(comm, static_cast<int>(i), 1, &below, &above) != MPI_SUCCESS) return false;
      from.insert(from.end(), {below, above});
    }
    to = from;
  } else if (topology == MPI_GRAPH) {
    int degree = 0;
    if (PMPI_Graph_neighbors_count(comm, me_, &degree) != MPI_SUCCESS) return false;
    from.resize(static_cast<std::size_t>(degree));
    if (PMPI_Graph_neighbors(comm, me_, degree, from.data()) != MPI_SUCCESS) return false;
    to = from;
  } else if (topology == MPI_DIST_GRAPH) {
    int in = 0;
    int out = 0;
    int weighted = 0;
    if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS) return false;
    from.resize(static_cast<std::size_t>(in));
    to.resize(static_cast<std::size_t>(out));
    std::vector<int> weights_in(from.size() + 1);  // left alone where there are none
    std::vector<int> weights_out(to.size() + 1);
    if (PMPI_Dist_graph_neighbors(comm, in, from.data(), weights_in.data(), out, to.data(), weights_out.data()) != MPI_SUCCESS)
      return false;
  } else {
    return false;
  }
  in_ = edges_to(from);
  out_ = edges_to(to);
  return true;
}

}  // namespace heddle::mpi
