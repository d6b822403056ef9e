// mpi/exchange/tag_space.cpp: gives out tags, and finds a communicator that the same ranks already
// share.
#include "mpi/exchange/tag_space.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <vector>

#include "group/operations.hpp"
#include "layout/immortal.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/process/process.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi {
namespace {

/// The most communicators of the host that Heddle makes in one process. A program with more groups
/// of ranks leaves the collectives of other groups to the library, and has these context ids for
/// itself.
constexpr int most_hosts = 64;
constexpr int tags_of_part = 1 << 20;
constexpr int most_parts = 256;

using Parts = std::array<std::uint64_t, most_parts / 64>;

std::atomic<int> hosts_alive{0};
std::mutex at_hosts;

int highest_tag() noexcept {
  const int* highest = nullptr;
  int there = 0;
  if (PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &there) != MPI_SUCCESS || !there)
    return (1 << 15) - 1;
  return *highest;
}

}  // namespace

struct TagSpace::Host {
  explicit Host(MPI_Comm made) noexcept : comm(made) { ++hosts_alive; }
  ~Host() {
    if (shared) {
      const std::lock_guard guard(at_hosts);
      std::erase(all(), this);
    }
    // If messages are left that nobody has received, MPICH frees it nevertheless, and raises an
    // error.
    const Quiet quiet(MPI_COMM_NULL);
    PMPI_Comm_free(&comm);
    --hosts_alive;
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// From here on, other shadow communicators may share it. Throws std::bad_alloc.
  void share(const group::Group& ranks, std::int64_t agreed_number, const std::shared_ptr<Host>& self) {
    const int parts = std::clamp(highest / tags_of_part, 1, most_parts);  // a highest tag of 2^n - 1 gives one part fewer
    if (parts == 1) return;
    group = ranks;
    number = agreed_number;
    own = self;
    for (int part = 1; part < parts; ++part) free[static_cast<std::size_t>(part) / 64] |= std::uint64_t{1} << (part % 64);
    const std::lock_guard guard(at_hosts);
    all().push_back(this);
    shared = true;
    highest = tags_of_part - 1;
  }

  static std::vector<Host*>& all() {
    static layout::Immortal<std::vector<Host*>> hosts;
    return *hosts;
  }

  MPI_Comm comm;
  int highest = highest_tag();  ///< Shared: the highest tag of each part.
  bool shared = false;
  group::Group group;
  std::int64_t number = 0;
  Parts free{};
  std::weak_ptr<Host> own;
};

TagSpace::~TagSpace() {
  if (!host_ || !host_->shared || spoiled_) return;
  const std::lock_guard guard(at_hosts);
  host_->free[static_cast<std::size_t>(part_) / 64] |= std::uint64_t{1} << (part_ % 64);
}

MPI_Comm TagSpace::comm() const noexcept { return host_ ? host_->comm : MPI_COMM_NULL; }
int TagSpace::tag(int own) const noexcept { return part_ * tags_of_part + own; }
int TagSpace::highest() const noexcept { return host_ ? host_->highest : 0; }

/// Offers the communicator that was made last, because the others are full, or were.
TagSpace::Offer TagSpace::offer(MPI_Comm comm) {
  Offer mine{.room = hosts_alive < most_hosts};
  const communicators::Members* const members = communicators::members(comm);
  if (threads::concurrent || settings_of_process().check || !members || members->group.empty()) return mine;
  const std::lock_guard guard(at_hosts);
  for (const Host* const host : Host::all())
    if (host->number > mine.number && group::compare(host->group, members->group) == group::Comparison::identical)
      mine.number = host->number;
  return mine;
}

/// Collective. Empty: no part is free on all ranks.
TagSpace TagSpace::shared(MPI_Comm comm, std::int64_t number) {
  std::shared_ptr<Host> host;
  {
    const std::lock_guard guard(at_hosts);
    const auto found = std::ranges::find(Host::all(), number, &Host::number);
    if (found != Host::all().end()) host = (*found)->own.lock();
  }
  Parts free = host ? host->free : Parts{};
  if (PMPI_Allreduce(MPI_IN_PLACE, free.data(), static_cast<int>(free.size()), MPI_UINT64_T, MPI_BAND, comm) != MPI_SUCCESS)
    return {};
  for (std::size_t i = 0; i < free.size(); ++i) {
    if (free[i] == 0) continue;
    const int bit = std::countr_zero(free[i]);
    const std::lock_guard guard(at_hosts);
    host->free[i] &= ~(std::uint64_t{1} << bit);
    return {std::move(host), 64 * static_cast<int>(i) + bit};
  }
  return {};
}

TagSpace TagSpace::made(MPI_Comm comm, const Agreed& agreed, int me) {
  if (agreed.shared != 0)
    if (TagSpace space = shared(comm, agreed.shared)) return space;
  if (!agreed.room) return {};
  MPI_Comm own = MPI_COMM_NULL;
  int all = PMPI_Comm_split(comm, 0, me, &own) == MPI_SUCCESS;
  std::shared_ptr<Host> host;
  try {
    if (all) host = std::make_shared<Host>(own);
    const communicators::Members* const members = communicators::members(comm);
    if (host && members && !threads::concurrent && !settings_of_process().check && !members->group.empty())
      host->share(members->group, agreed.number, host);
  } catch (const std::bad_alloc&) {
    if (!host && own != MPI_COMM_NULL) PMPI_Comm_free(&own);
    all = host != nullptr;
  }
  // If the host had no communicator left for one rank, all ranks leave the collective to the
  // library.
  if (comm != MPI_COMM_WORLD && PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS) return {};
  if (!all) return {};
  PMPI_Comm_set_errhandler(host->comm, MPI_ERRORS_RETURN);
  return {std::move(host), 0};
}

}  // namespace heddle::mpi
