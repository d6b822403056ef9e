// mpi/window/deferred_by_window.cpp
#include "mpi/window/deferred_by_window.hpp"

#include <optional>

#include "layout/cursor.hpp"

namespace heddle::mpi {
namespace {

std::vector<const engine::DeferredLists*> lists_of(const std::vector<DeferredByWindow::Rank>& ranks) {
  std::vector<const engine::DeferredLists*> lists;
  lists.reserve(ranks.size());
  for (const DeferredByWindow::Rank& each : ranks) lists.push_back(each.lists);
  return lists;
}

/// A datatype of the host for the next bytes of a stream.
class Blocks {
 public:
  /// @param bytes  Becomes the number of bytes, if it was larger.
  /// @param most  Blocks.
  Blocks(layout::Cursor& cursor, Bytes& bytes, std::size_t most) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    Bytes taken = 0;
    while (taken < bytes && places.size() < most) {
      const layout::Segment segment = cursor.next(bytes - taken);
      places.push_back(segment.offset);
      lengths.push_back(static_cast<int>(segment.length));
      taken += segment.length;
    }
    bytes = taken;
    error_ = PMPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(), MPI_BYTE, &type_);
    if (error_ == MPI_SUCCESS) error_ = PMPI_Type_commit(&type_);
  }
  ~Blocks() {
    if (type_ != MPI_DATATYPE_NULL) PMPI_Type_free(&type_);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int error_ = MPI_SUCCESS;
};

}  // namespace

DeferredByWindow::DeferredByWindow(Node& node, std::vector<Rank> ranks, engine::DeferredLists& mine, int me, std::byte* base,
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
  constexpr std::size_t most = 1024;
  layout::Cursor here{access.here.layout, access.here.count}, there{access.there.layout, access.there.count};
  const MPI_Aint displacement = access.displacement / ranks_[static_cast<std::size_t>(access.rank)].unit;
  while (!there.done()) {
    Bytes bytes = access.bytes - there.tell();
    const Blocks far(there, bytes, most);
    const Blocks near(here, bytes, static_cast<std::size_t>(bytes));
    int error = far.error() != MPI_SUCCESS ? far.error() : near.error();
    if (error == MPI_SUCCESS)
      error = access.get ? PMPI_Get(access.address, 1, near.type(), access.rank, displacement, 1, far.type(), win)
                         : PMPI_Put(access.address, 1, near.type(), access.rank, displacement, 1, far.type(), win);
    if (error != MPI_SUCCESS) return error;
  }
  return MPI_SUCCESS;
}

DeferredByWindow::Block DeferredByWindow::allocate(Bytes bytes) noexcept {
  auto* const address = static_cast<std::byte*>(node_.shared().allocate(bytes));
  if (!address) return {};
  if (const std::optional<transport::Place> place = node_.shared().find(address, bytes)) return {address, *place};
  node_.shared().release(address);
  return {};
}

}  // namespace heddle::mpi
