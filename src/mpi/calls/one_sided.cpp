// mpi/calls/one_sided.cpp: MPI_Put, MPI_Get, and their forms with a request. Accumulating
// operations are the host's, because their atomicity is the host's.
#include "mpi/window/one_sided.hpp"

#include "entry_points.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi {
namespace {

template <Move move, class Address, class Integer>
int access(auto host, Address address, Integer count, MPI_Datatype type, int rank, MPI_Aint displacement, Integer target_count,
           MPI_Datatype target_type, MPI_Win win) {
  if (may_carry(type, target_type) && carry<move>({address, count, type}, {rank, displacement, target_count, target_type}, win))
    return MPI_SUCCESS;
  return host(address, count, type, rank, displacement, target_count, target_type, win);
}

template <Move move, class Address, class Integer>
int access_with_request(auto host, Address address, Integer count, MPI_Datatype type, int rank, MPI_Aint displacement,
                        Integer target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* request) {
  if (may_carry(type, target_type) &&
      carry_with_request<move>({address, count, type}, {rank, displacement, target_count, target_type}, win, request))
    return MPI_SUCCESS;
  return host(address, count, type, rank, displacement, target_count, target_type, win, request);
}

}  // namespace
}  // namespace heddle::mpi

using heddle::mpi::access;
using heddle::mpi::access_with_request;
using heddle::mpi::Move;

extern "C" {
HEDDLE_ENTRY_Put(access<Move::put>);
HEDDLE_ENTRY_Get(access<Move::get>);
HEDDLE_ENTRY_Rput(access_with_request<Move::put>);
HEDDLE_ENTRY_Rget(access_with_request<Move::get>);
}
