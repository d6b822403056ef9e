// mpi/calls/comm_dup.cpp: duplicates, which have the group of what they are duplicates of.
#include "mpi/communicators/known.hpp"
#include "mpi/exchange/hints.hpp"

using heddle::mpi::communicators::Context;
using heddle::mpi::communicators::Duplicating;
using heddle::mpi::communicators::opened;

namespace {

/// @param complete  It is over when the call returns. @param context  Of the duplicate.
template <class Duplicate>
int duplicated(const char* call, MPI_Comm comm, const MPI_Comm* made, Duplicate duplicate, bool complete = true,
               std::unique_ptr<Context> context = nullptr) {
  if (!opened()) return duplicate();
  Duplicating duplicating(std::move(context));
  const int result = duplicate();
  if (result == MPI_SUCCESS) duplicating.end(call, comm, *made, complete);
  return result;
}

}  // namespace

extern "C" {

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
  return duplicated("MPI_Comm_dup", comm, newcomm, [=] { return PMPI_Comm_dup(comm, newcomm); });
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  const int result =
      duplicated("MPI_Comm_dup_with_info", comm, newcomm, [=] { return PMPI_Comm_dup_with_info(comm, info, newcomm); });
  if (result == MPI_SUCCESS) heddle::mpi::hints_given(*newcomm, info);
  return result;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return duplicated(
      "MPI_Comm_idup", comm, newcomm, [=] { return PMPI_Comm_idup(comm, newcomm, request); }, false);
}

int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
  return duplicated(
      "MPI_Comm_idup_with_info", comm, newcomm, [=] { return PMPI_Comm_idup_with_info(comm, info, newcomm, request); }, false,
      heddle::mpi::hints_to_come(comm, info));
}

}  // extern "C"
