// mpi/calls/cart.cpp: communicators with a topology, whose groups follow from the parent's. All their ranks are here: the
// shadow communicator (exchange/) is made now, for non-blocking neighbour collectives could not make it.
#include "mpi/communicators/groups.hpp"
#include "mpi/exchange/hints.hpp"

namespace communicators = heddle::mpi::communicators;

namespace {

void made(const char* call, MPI_Comm comm, MPI_Comm parent, bool reordered) noexcept {
  if (communicators::opened()) communicators::front_of(call, comm, parent, reordered);
  heddle::mpi::ShadowComm::of(comm);
}

void made(const char* call, MPI_Comm comm, MPI_Comm parent, bool reordered, MPI_Info info) noexcept {
  made(call, comm, parent, reordered);
  heddle::mpi::hints_given(comm, info);
}

}  // namespace

extern "C" {

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* comm_cart) {
  const int result = PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart);
  if (result == MPI_SUCCESS) made("MPI_Cart_create", *comm_cart, comm_old, reorder != 0);
  return result;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  const int result = PMPI_Cart_sub(comm, remain_dims, newcomm);
  if (result == MPI_SUCCESS && communicators::opened()) communicators::part_of("MPI_Cart_sub", *newcomm, comm, remain_dims);
  return result;
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder, MPI_Comm* comm_graph) {
  const int result = PMPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph);
  if (result == MPI_SUCCESS) made("MPI_Graph_create", *comm_graph, comm_old, reorder != 0);
  return result;
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  const int result =
      PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph);
  if (result == MPI_SUCCESS) made("MPI_Dist_graph_create", *comm_dist_graph, comm_old, reorder != 0, info);
  return result;
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                                   int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder,
                                   MPI_Comm* comm_dist_graph) {
  const int result = PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations,
                                                     destweights, info, reorder, comm_dist_graph);
  if (result == MPI_SUCCESS) made("MPI_Dist_graph_create_adjacent", *comm_dist_graph, comm_old, reorder != 0, info);
  return result;
}

}  // extern "C"
