// mpi/node/placement.cpp
#include "mpi/node/placement.hpp"

#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// Ranks of a node are taken for ranks of so many.
void split(MPI_Comm& ranks, int nodes) noexcept {
  int rank = 0;
  int size = 1;
  MPI_Comm whole = ranks;
  if (PMPI_Comm_rank(whole, &rank) != MPI_SUCCESS || PMPI_Comm_size(whole, &size) != MPI_SUCCESS) return;
  const auto part = static_cast<int>(static_cast<long long>(rank) * nodes / size);
  if (PMPI_Comm_split(whole, part, rank, &ranks) == MPI_SUCCESS) PMPI_Comm_free(&whole);
}

}  // namespace

Placement::Placement(bool one_machine) noexcept {
  if (one_machine) {
    ranks_ = MPI_COMM_WORLD;
    node_ = 0;
    return;
  }
  int first = 0;
  int ranks = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &first) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS ||
      PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, first, MPI_INFO_NULL, &ranks_) != MPI_SUCCESS) {
    ranks_ = MPI_COMM_NULL;
    return;
  }
  if (const int nodes = settings_of_process().nodes; nodes > 1) split(ranks_, nodes);
  int here = 0;
  if (PMPI_Bcast(&first, 1, MPI_INT, 0, ranks_) == MPI_SUCCESS) node_ = first;
  several_ = PMPI_Comm_size(ranks_, &here) == MPI_SUCCESS && here < ranks;
}

Placement::~Placement() {
  if (ranks_ != MPI_COMM_NULL && ranks_ != MPI_COMM_WORLD) PMPI_Comm_free(&ranks_);
}

}  // namespace heddle::mpi
