// mpi/node/placement.cpp
#include "mpi/node/placement.hpp"

namespace heddle::mpi {

Placement::Placement() noexcept {
  int first = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &first) != MPI_SUCCESS ||
      PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, first, MPI_INFO_NULL, &ranks_) != MPI_SUCCESS)
    ranks_ = MPI_COMM_NULL;
  else if (PMPI_Bcast(&first, 1, MPI_INT, 0, ranks_) == MPI_SUCCESS)
    node_ = first;
}

Placement::~Placement() {
  if (ranks_ != MPI_COMM_NULL) PMPI_Comm_free(&ranks_);
}

}  // namespace heddle::mpi
