// mpi/sparse/shadow.cpp
#include "mpi/sparse/shadow.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "layout/lasting.hpp"
#include "mpi/exchange/numbered.hpp"
#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/progress.hpp"
#include "select/collective/choose.hpp"

namespace heddle::mpi::sparse {
namespace {

/// By MPI_Finalize: what hung on communicators is gone.
constinit std::atomic<bool> closed{false};

struct Lanes {
  std::mutex lock;
  std::set<Shadow*> all;
  int keyval = MPI_KEYVAL_INVALID;
};
Lanes& shadows() {
  static layout::Lasting<Lanes> shadows;
  return *shadows;
}

int not_copied(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;
  return MPI_SUCCESS;
}

int freed(MPI_Comm, int, void* attribute, void*) {
  if (!closed) Deferred::add(static_cast<Shadow*>(attribute));
  return MPI_SUCCESS;
}

bool have_keyval() noexcept {
  const std::lock_guard guard(shadows().lock);
  return shadows().keyval != MPI_KEYVAL_INVALID ||
         PMPI_Comm_create_keyval(not_copied, freed, &shadows().keyval, nullptr) == MPI_SUCCESS;
}

/// Who sends to whom is nobody's knowledge: the choice is made once, for what such exchanges are like (Schliephake and Laure
/// 2013: 26 partners; a KiB for each).
select::Way typical(const select::Where& where) {
  select::AlltoallvFacts facts;
  static_cast<select::Where&>(facts) = where;
  facts.most_partners = std::min(where.ranks - 1, 26);
  facts.partners = facts.most_partners;
  facts.largest_block = 1 << 10;
  facts.most_bytes = facts.most_partners * facts.largest_block;
  facts.bytes = static_cast<double>(facts.most_bytes);
  return choose_exchange(facts);
}

}  // namespace

void Shadow::free() {
  {
    const std::lock_guard guard(shadows().lock);
    shadows().all.erase(this);
  }
  delete this;
}

Shadow::~Shadow() {
  if (own_ && comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

Shadow* Shadow::of(MPI_Comm comm) {
  if (!have_keyval()) return nullptr;
  void* found = nullptr;
  int known = 0;
  if (PMPI_Comm_get_attr(comm, shadows().keyval, static_cast<void*>(&found), &known) != MPI_SUCCESS) return nullptr;
  return known ? static_cast<Shadow*>(found) : make(comm);
}

Shadow* Shadow::make(MPI_Comm comm) {
  std::unique_ptr<Shadow> shadow;
  try {
    shadow.reset(new Shadow);
    const std::lock_guard guard(shadows().lock);
    shadows().all.insert(shadow.get());
  } catch (const std::bad_alloc&) {
    return nullptr;  // the others wait for us, as they do for any rank that is lost
  }
  PMPI_Comm_rank(comm, &shadow->me_);
  PMPI_Comm_size(comm, &shadow->ranks_);
  shadow->crowded_ = progress::ranks() > progress::cores();
  ShadowComm* beside = ShadowComm::of(comm);
  if (beside) {
    shadow->comm_ = beside->comm();
  } else if (PMPI_Comm_split(comm, 0, shadow->me_, &shadow->comm_) == MPI_SUCCESS) {
    shadow->own_ = true;
    PMPI_Comm_set_errhandler(shadow->comm_, MPI_ERRORS_RETURN);
  }
  bool agreed = shadow->comm_ != MPI_COMM_NULL;
  try {
    if (agreed) shadow->agree(shadow->comm_, beside ? beside->topology() : topology_of(shadow->comm_));
  } catch (const std::bad_alloc&) {
    agreed = false;
  }
  if (!agreed || PMPI_Comm_set_attr(comm, shadows().keyval, shadow.get()) != MPI_SUCCESS) {
    const std::lock_guard guard(shadows().lock);
    shadows().all.erase(shadow.get());
    return nullptr;
  }
  return shadow.release();
}

void Shadow::agree(MPI_Comm comm, const Topology& around) {
  const settings::Settings& set = settings_of_process();
  // What all wish is what the least and the greatest wish; what they do not agree on is as if nobody had wished.
  const std::array<int, 4> mine = {static_cast<int>(set.exchange), set.router.radix, set.router.channels,
                                   static_cast<int>(std::min<Bytes>(set.router.segment, 1 << 30))};
  std::array<long, 9> both{};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    both[i] = mine[i];
    both[mine.size() + i] = -mine[i];
  }
  int world_rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  both.back() = -numbered::offer(world_rank);
  PMPI_Allreduce(MPI_IN_PLACE, both.data(), static_cast<int>(both.size()), MPI_LONG, MPI_MIN, comm);
  numbered::taken(number_ = -both.back());
  const auto wish = [&](std::size_t i, int otherwise) {
    return both[i] == -both[mine.size() + i] ? static_cast<int>(both[i]) : otherwise;
  };
  const select::Way way = typical(around.where);
  agreed_ = {.way = way.algorithm->name, .radix = std::max(2, way.radix), .channels = wish(2, 1), .segment = wish(3, 0)};
  switch (static_cast<settings::Exchange>(wish(0, 0))) {
    case settings::Exchange::automatic:
      break;
    case settings::Exchange::consensus:
      agreed_.way = "consensus";
      break;
    case settings::Exchange::crystal:
      agreed_.way = "crystal";
      break;
    case settings::Exchange::counts:
      agreed_.way = "counts";
      break;
  }
  if (const int radix = wish(1, 0); radix > 0) agreed_.radix = radix;
}

void Shadow::close() noexcept {
  Deferred::free_all();
  closed = true;
  std::vector<Shadow*> all;
  {
    const std::lock_guard guard(shadows().lock);
    all.assign(shadows().all.begin(), shadows().all.end());
    shadows().all.clear();
    if (shadows().keyval != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&shadows().keyval);
  }
  std::ranges::sort(all, {}, [](const Shadow* shadow) { return shadow->number_; });
  for (const Shadow* shadow : all) delete shadow;
}

}  // namespace heddle::mpi::sparse
