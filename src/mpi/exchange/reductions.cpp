// mpi/exchange/reductions.cpp: a share is one element of a datatype of its own, so that no host cuts it: its numbers are not
// all reduced alike.
#include "mpi/exchange/reductions.hpp"

namespace heddle::mpi {
namespace {

MPI_Op joining = MPI_OP_NULL;
MPI_Datatype share_type = MPI_DATATYPE_NULL;

void join(void* given, void* into, int* count, MPI_Datatype* /*type*/) {
  const auto* shares = static_cast<const select::Share*>(given);
  auto* both = static_cast<select::Share*>(into);
  for (int i = 0; i < *count; ++i) both[i] = select::joined(shares[i], both[i]);
}

}  // namespace

bool Reductions::open() noexcept {
  return PMPI_Type_contiguous(static_cast<int>(sizeof(select::Share)), MPI_BYTE, &share_type) == MPI_SUCCESS &&
         PMPI_Type_commit(&share_type) == MPI_SUCCESS && PMPI_Op_create(join, 1, &joining) == MPI_SUCCESS;
}

void Reductions::close() noexcept {
  if (joining != MPI_OP_NULL) PMPI_Op_free(&joining);
  if (share_type != MPI_DATATYPE_NULL) PMPI_Type_free(&share_type);
}

void Reductions::begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept {
  PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T, by == By::sum ? MPI_SUM : MPI_MAX, comm_,
                  &request(number));
}

void Reductions::begin(int number, const select::Share& mine, select::Share& all) noexcept {
  PMPI_Iallreduce(&mine, &all, 1, share_type, joining, comm_, &request(number));
}

}  // namespace heddle::mpi
