// bench/null/null.cpp: the null Heddle interposes and forwards. It shows the cost of interposing
// alone.
#include <mpi.h>

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): each host has other names
#define HEDDLE_NULL extern "C" __attribute__((visibility("default"))) int

HEDDLE_NULL MPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int room, int* position, MPI_Comm comm) {
  return PMPI_Pack(in, count, type, out, room, position, comm);
}

HEDDLE_NULL MPI_Unpack(const void* in, int room, int* position, void* out, int count, MPI_Datatype type, MPI_Comm comm) {
  return PMPI_Unpack(in, room, position, out, count, type, comm);
}

HEDDLE_NULL MPI_Send(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return PMPI_Send(data, count, type, dest, tag, comm);
}

HEDDLE_NULL MPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  return PMPI_Recv(data, count, type, source, tag, comm, status);
}

HEDDLE_NULL MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int dest, int out_tag, void* in, int in_count,
                         MPI_Datatype in_type, int source, int in_tag, MPI_Comm comm, MPI_Status* status) {
  return PMPI_Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type, source, in_tag, comm, status);
}

HEDDLE_NULL MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  return PMPI_Bcast(data, count, type, root, comm);
}

HEDDLE_NULL MPI_Isend(const void* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Isend(data, count, type, dest, tag, comm, request);
}

HEDDLE_NULL MPI_Irecv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Irecv(data, count, type, source, tag, comm, request);
}

HEDDLE_NULL MPI_Wait(MPI_Request* request, MPI_Status* status) { return PMPI_Wait(request, status); }

HEDDLE_NULL MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  return PMPI_Waitall(count, requests, statuses);
}

HEDDLE_NULL MPI_Startall(int count, MPI_Request* requests) { return PMPI_Startall(count, requests); }

HEDDLE_NULL MPI_Neighbor_alltoallv(const void* out, const int* out_counts, const int* out_displacements, MPI_Datatype out_type,
                                   void* in, const int* in_counts, const int* in_displacements, MPI_Datatype in_type,
                                   MPI_Comm comm) {
  return PMPI_Neighbor_alltoallv(out, out_counts, out_displacements, out_type, in, in_counts, in_displacements, in_type, comm);
}

HEDDLE_NULL MPI_Neighbor_alltoallw(const void* out, const int* out_counts, const MPI_Aint* out_displacements,
                                   const MPI_Datatype* out_types, void* in, const int* in_counts,
                                   const MPI_Aint* in_displacements, const MPI_Datatype* in_types, MPI_Comm comm) {
  return PMPI_Neighbor_alltoallw(out, out_counts, out_displacements, out_types, in, in_counts, in_displacements, in_types,
                                 comm);
}

HEDDLE_NULL MPI_Put(const void* out, int out_count, MPI_Datatype out_type, int target, MPI_Aint displacement, int in_count,
                    MPI_Datatype in_type, MPI_Win window) {
  return PMPI_Put(out, out_count, out_type, target, displacement, in_count, in_type, window);
}

HEDDLE_NULL MPI_Win_fence(int assertion, MPI_Win window) { return PMPI_Win_fence(assertion, window); }

HEDDLE_NULL MPI_Alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
                         MPI_Comm comm) {
  return PMPI_Alltoall(out, out_count, out_type, in, in_count, in_type, comm);
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
