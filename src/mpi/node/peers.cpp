// mpi/node/peers.cpp: one list for each communicator that has carried a large message; it goes with the communicator, of which
// the host tells us through an attribute.
#include "mpi/node/peers.hpp"

#include <numeric>

#include "mpi/node/node.hpp"
#include "mpi/types/table.hpp"

namespace heddle::mpi {
namespace {

int not_copied(MPI_Comm, int, void*, void*, void*, int* copied) {
  *copied = 0;
  return MPI_SUCCESS;
}

int freed(MPI_Comm comm, int, void* peers, void*) {
  static_cast<Peers*>(peers)->forget(comm);
  return MPI_SUCCESS;
}

}  // namespace

int Peers::find(MPI_Comm comm, int rank) noexcept {
  const List* list = list_of(comm);
  return list && rank >= 0 && static_cast<std::size_t>(rank) < list->size() ? (*list)[static_cast<std::size_t>(rank)] : -1;
}

const Peers::List* Peers::list_of(MPI_Comm comm) noexcept {
  const std::lock_guard guard(lock_);
  try {
    std::unique_ptr<List>& list = lists_[key_of(comm)];
    if (list) return list.get();
    if (keyval_ == MPI_KEYVAL_INVALID && PMPI_Comm_create_keyval(not_copied, freed, &keyval_, nullptr) != MPI_SUCCESS)
      return nullptr;
    List found = translate(comm);
    if (PMPI_Comm_set_attr(comm, keyval_, this) != MPI_SUCCESS) return nullptr;
    list = std::make_unique<List>(std::move(found));
    return list.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

Peers::List Peers::translate(MPI_Comm comm) const {
  int inter = 0;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  int size = 0;
  List list;
  if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS ||
      (inter ? PMPI_Comm_remote_group(comm, &group) : PMPI_Comm_group(comm, &group)) != MPI_SUCCESS)
    return list;
  if (PMPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS && PMPI_Group_size(group, &size) == MPI_SUCCESS) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::vector<int> in_world(ranks.size(), MPI_UNDEFINED);
    std::iota(ranks.begin(), ranks.end(), 0);
    if (PMPI_Group_translate_ranks(group, size, ranks.data(), all, in_world.data()) == MPI_SUCCESS)
      for (const int rank : in_world) list.push_back(rank >= 0 ? world_[static_cast<std::size_t>(rank)] : -1);
  }
  if (all != MPI_GROUP_NULL) PMPI_Group_free(&all);
  PMPI_Group_free(&group);
  return list;
}

void Peers::forget(MPI_Comm comm) noexcept {
  const std::lock_guard guard(lock_);
  lists_.erase(key_of(comm));
}

void Peers::close() noexcept {
  if (keyval_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&keyval_);
}

}  // namespace heddle::mpi
