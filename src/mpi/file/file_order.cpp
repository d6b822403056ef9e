// mpi/file/file_order.cpp: the ranks tell each other where their words lie. Each step that may
// fail in one rank alone comes before a collective, which tells all ranks.
#include "mpi/file/file_order.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "engine/base/wait.hpp"
#include "mpi/process/progress.hpp"

namespace heddle::mpi {
namespace {

using engine::files::AccessWords;

/// True if it is so on all ranks.
bool all_agree(bool is, MPI_Comm comm) noexcept {
  int all = is ? 1 : 0;
  return PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && all != 0;
}

}  // namespace

/// The words of all ranks, before the ranks depend on them.
struct FileOrder::Words {
  AccessWords* mine = nullptr;
  std::vector<transport::Place> places;
  std::vector<const AccessWords*> all;

  bool prepare(MpiNode& node, int ranks, int me) noexcept try {
    places.resize(static_cast<std::size_t>(ranks));
    all.reserve(static_cast<std::size_t>(ranks));
    mine = static_cast<AccessWords*>(node.shared().allocate_zeroed(sizeof(AccessWords)));
    const std::optional<transport::Place> place = mine ? node.shared().find(mine, sizeof(AccessWords)) : std::nullopt;
    if (place) places[static_cast<std::size_t>(me)] = *place;
    return place.has_value();
  } catch (const std::exception&) {
    return false;
  }

  /// Null: this rank does not reach all words, or lacks memory.
  std::unique_ptr<FileOrder> order(MpiNode& node, MPI_Comm comm, int me, bool tries) noexcept try {
    for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
      const int peer = rank == me ? -1 : node.peer(comm, rank);
      const transport::Place& place = places[static_cast<std::size_t>(rank)];
      const std::byte* const there = peer < 0 ? nullptr : node.map(peer, place, sizeof(AccessWords));
      if (!there && rank != me) return nullptr;
      all.push_back(rank == me ? mine : reinterpret_cast<const AccessWords*>(there));
    }
    std::unique_ptr<FileOrder> made(new FileOrder(node, comm, *mine, std::move(all), tries));
    mine = nullptr;
    return made;
  } catch (const std::exception&) {
    return nullptr;
  }
};

std::unique_ptr<FileOrder> FileOrder::agreed(MPI_Comm comm, int ranks, int me, bool tries) noexcept {
  MpiNode* const node = MpiNode::here();
  Words words;
  std::unique_ptr<FileOrder> order;
  const bool ready = node && words.prepare(*node, ranks, me);
  constexpr int length = sizeof(transport::Place);
  if (all_agree(ready, comm) &&
      PMPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, words.places.data(), length, MPI_BYTE, comm) == MPI_SUCCESS) {
    order = words.order(*node, comm, me, tries);
    if (!all_agree(order != nullptr, comm)) order.reset();
  }
  if (words.mine) node->shared().release(words.mine);
  return order;
}

void FileOrder::tell(const engine::files::AccessTerms& mine, std::span<engine::files::AccessTerms> all) noexcept {
  order_.meet(mine, progress::once, [all](std::size_t rank, const engine::files::AccessTerms& terms) { all[rank] = terms; });
}

bool FileOrder::agree(bool is) noexcept { return order_.agree(is, progress::once); }

bool FileOrder::begin(bool fits) noexcept { return order_.begin(fits, progress::once); }

void FileOrder::leave() const noexcept {
  MPI_Request all = MPI_REQUEST_NULL;
  int done = 0;
  if (PMPI_Ibarrier(comm_, &all) != MPI_SUCCESS) return;
  for (engine::Patience patience(node_.crowded()); PMPI_Test(&all, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;)
    patience.pause();
}

}  // namespace heddle::mpi
