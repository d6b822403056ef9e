// mpi/calls/comm.cpp: communicators made of groups, and those whose group only the host knows.
#include "mpi/communicators/groups.hpp"
#include "mpi/exchange/hints.hpp"
#include "mpi/process/process.hpp"

namespace communicators = heddle::mpi::communicators;

namespace {

int left(const char* call, int result, const MPI_Comm* made) noexcept {
  if (result == MPI_SUCCESS && communicators::opened()) communicators::leave(call, *made);
  return result;
}

int of_group(const char* call, int result, const MPI_Comm* made, MPI_Group group) {
  if (result == MPI_SUCCESS && heddle::mpi::traits().makes_without_handler) communicators::without_handler(*made);
  if (result == MPI_SUCCESS && communicators::opened()) communicators::of_group(call, *made, group);
  return result;
}

}  // namespace

extern "C" {

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  return left("MPI_Comm_split", PMPI_Comm_split(comm, color, key, newcomm), newcomm);
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  const int result = left("MPI_Comm_split_type", PMPI_Comm_split_type(comm, split_type, key, info, newcomm), newcomm);
  if (result == MPI_SUCCESS) heddle::mpi::hints_given(*newcomm, info);
  return result;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  const int result = PMPI_Comm_create(comm, group, newcomm);
  int inter = 0;
  if (result == MPI_SUCCESS && PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter)
    return left("MPI_Comm_create", result, newcomm);
  return of_group("MPI_Comm_create", result, newcomm, group);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  return of_group("MPI_Comm_create_group", PMPI_Comm_create_group(comm, group, tag, newcomm), newcomm, group);
}

int MPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                               MPI_Comm* newcomm) {
  const int result = PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
  return of_group("MPI_Comm_create_from_group", result, newcomm, group);
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag,
                         MPI_Comm* newintercomm) {
  return left("MPI_Intercomm_create",
              PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm), newintercomm);
}

int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                     const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
  return left("MPI_Intercomm_create_from_groups",
              PMPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag, info,
                                                errhandler, newintercomm),
              newintercomm);
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  return left("MPI_Intercomm_merge", PMPI_Intercomm_merge(intercomm, high, newintracomm), newintracomm);
}

}  // extern "C"
