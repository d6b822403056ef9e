// mpi/exchange/agreement.cpp: a share is one element of a datatype of its own, so that no host cuts it: its numbers are not all
// reduced alike.
#include "mpi/exchange/agreement.hpp"

#include "schedule/algorithms.hpp"
#include "select/collective/decide.hpp"
#include "select/collective/trial.hpp"

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

bool Agreement::open() noexcept {
  return PMPI_Type_contiguous(static_cast<int>(sizeof(select::Share)), MPI_BYTE, &share_type) == MPI_SUCCESS &&
         PMPI_Type_commit(&share_type) == MPI_SUCCESS && PMPI_Op_create(join, 1, &joining) == MPI_SUCCESS;
}

void Agreement::close() noexcept {
  if (joining != MPI_OP_NULL) PMPI_Op_free(&joining);
  if (share_type != MPI_DATATYPE_NULL) PMPI_Type_free(&share_type);
}

Agreement::Agreement(MPI_Comm comm) noexcept
    : comm_(comm), request_(MPI_REQUEST_NULL), way_{.algorithm = &schedule::alltoallv_direct} {}

Agreement::~Agreement() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

void Agreement::begin(const select::Share& mine) noexcept {
  mine_ = mine;
  PMPI_Iallreduce(&mine_, &all_, 1, share_type, joining, comm_, &request_);
}

void Agreement::take(const select::Where& where) {
  PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  const select::AlltoallvFacts facts = agreed(all_, where);
  const select::Way way = select::decide_alltoallv(facts, "auto").way;
  volumes_ = select::magnitudes({static_cast<select::Bytes>(facts.bytes), facts.largest_block, facts.most_partners});
  cadence_.settle(way.algorithm != way_.algorithm, calls_for(way, where));
  way_ = way;
  digest_ = select::digest(way);
}

}  // namespace heddle::mpi
