// mpi/window/deferred_by_window.cpp: notes accesses for the fence, and gives refused ones to the
// host as lists of blocks.
#include "mpi/window/deferred_by_window.hpp"

#include <array>
#include <optional>
#include <span>

#include "engine/node/block_lists.hpp"

namespace heddle::mpi {
namespace {

std::vector<const engine::DeferredLists*> lists_of(const std::vector<DeferredByWindow::Rank>& ranks) {
  std::vector<const engine::DeferredLists*> lists;
  lists.reserve(ranks.size());
  for (const DeferredByWindow::Rank& each : ranks) lists.push_back(each.lists);
  return lists;
}

/// A datatype of the host for blocks, whose addresses count from 0.
class ListType {
 public:
  explicit ListType(std::span<const iovec> blocks) {
    std::array<int, engine::ScratchBuffers::most_entries> lengths;
    std::array<MPI_Aint, engine::ScratchBuffers::most_entries> places;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      lengths[i] = static_cast<int>(blocks[i].iov_len);
      places[i] = reinterpret_cast<MPI_Aint>(blocks[i].iov_base);
    }
    error_ = PMPI_Type_create_hindexed(static_cast<int>(blocks.size()), lengths.data(), places.data(), MPI_BYTE, &type_);
    if (error_ == MPI_SUCCESS) error_ = PMPI_Type_commit(&type_);
  }
  ~ListType() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }
  ListType(const ListType&) = delete;
  ListType& operator=(const ListType&) = delete;

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int error_ = MPI_SUCCESS;
};

/// Scratch buffers, also if an error handler of the program throws.
class Scratch {
 public:
  explicit Scratch(engine::ScratchPool& pool) : pool_(pool), buffers_(pool.take()) {}
  ~Scratch() {
    if (buffers_) pool_.give(buffers_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] engine::ScratchBuffers* buffers() const { return buffers_; }

 private:
  engine::ScratchPool& pool_;
  engine::ScratchBuffers* buffers_;
};

}  // namespace

DeferredByWindow::DeferredByWindow(MpiNode& node, std::vector<Rank> ranks, engine::DeferredLists& mine, int me, std::byte* base,
                                   Bytes size)
    : node_(node), ranks_(std::move(ranks)), lists_(&mine), base_(base), size_(size), all_(*this, mine, lists_of(ranks_), me) {}

bool DeferredByWindow::defer(const Access& access) noexcept {
  const std::lock_guard guard(lock_);
  return !closed_ && all_.defer(access);
}

void DeferredByWindow::Redo::operator()(const Access& access) noexcept try {
  const int result = all.to_host(access, win);
  if (error == MPI_SUCCESS) error = result;
} catch (...) {
  if (!thrown) thrown = std::current_exception();
}

/// The host gets lists of blocks, because the program may have freed its types.
int DeferredByWindow::to_host(const Access& access, MPI_Win win) const {
  const Scratch scratch(node_.scratch_pool());
  if (!scratch.buffers()) return MPI_ERR_NO_MEM;
  layout::Cursor here{access.here.layout, access.here.count}, there{access.there.layout, access.there.count};
  const MPI_Aint displacement = access.displacement / ranks_[static_cast<std::size_t>(access.rank)].unit;
  int error = MPI_SUCCESS;
  const auto move = [&](std::span<const iovec> near, std::span<const iovec> far, Bytes) {
    const ListType from(near), to(far);
    error = from.error() != MPI_SUCCESS ? from.error() : to.error();
    if (error != MPI_SUCCESS) return false;
    error = access.get ? PMPI_Get(access.address, 1, from.type(), access.rank, displacement, 1, to.type(), win)
                       : PMPI_Put(access.address, 1, from.type(), access.rank, displacement, 1, to.type(), win);
    return error == MPI_SUCCESS;
  };
  engine::from_list_to_list(here, nullptr, there, nullptr, access.bytes, *scratch.buffers(), move);
  return error;
}

DeferredByWindow::Block DeferredByWindow::allocate(Bytes bytes) noexcept {
  auto* const address = static_cast<std::byte*>(node_.shared().allocate(bytes));
  if (!address) return {};
  if (const std::optional<transport::Place> place = node_.shared().find(address, bytes)) return {address, *place};
  node_.shared().release(address);
  return {};
}

}  // namespace heddle::mpi
