// mpi/collectives/peers.cpp: asks the host for this rank, the root and the neighbours.
#include "mpi/collectives/peers.hpp"

#include "mpi/communicators/communicator_registry.hpp"

namespace heddle::mpi {

Peers::Peers(MPI_Comm comm) : communicators::Peers(comm) { known = known && !communicators::reaches_beyond(comm); }

int own_rank(MPI_Comm comm) {
  int me = -1;
  return PMPI_Comm_rank(comm, &me) == MPI_SUCCESS ? me : -1;
}

Rooted::Rooted(int of, MPI_Comm comm) {
  const Peers peers(comm);
  me = peers.known ? own_rank(comm) : -1;
  known = me >= 0;
  ranks = peers.ranks;
  root = peers.inter ? of == MPI_ROOT : of == me;
  leaf = !peers.inter || (of != MPI_ROOT && of != MPI_PROC_NULL);
}

bool neighbour_ranks(MPI_Comm comm, int me, std::vector<int>& from, std::vector<int>& to) {
  int topology = MPI_UNDEFINED;
  if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS) return false;
  if (topology == MPI_CART) {
    int dimensions = 0;
    if (PMPI_Cartdim_get(comm, &dimensions) != MPI_SUCCESS) return false;
    for (int i = 0; i < dimensions; ++i) {
      int below = MPI_PROC_NULL;
      int above = MPI_PROC_NULL;
      if (PMPI_Cart_shift(comm, i, 1, &below, &above) != MPI_SUCCESS) return false;
      from.insert(from.end(), {below, above});
    }
    to = from;
    return true;
  }
  if (topology == MPI_GRAPH) {
    int degree = 0;
    if (PMPI_Graph_neighbors_count(comm, me, &degree) != MPI_SUCCESS) return false;
    from.resize(static_cast<std::size_t>(degree));
    if (PMPI_Graph_neighbors(comm, me, degree, from.data()) != MPI_SUCCESS) return false;
    to = from;
    return true;
  }
  if (topology != MPI_DIST_GRAPH) return false;
  int in = 0;
  int out = 0;
  int weighted = 0;
  if (PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted) != MPI_SUCCESS) return false;
  from.resize(static_cast<std::size_t>(in));
  to.resize(static_cast<std::size_t>(out));
  std::vector<int> weights_in(from.size() + 1);  // left alone where there are none
  std::vector<int> weights_out(to.size() + 1);
  return PMPI_Dist_graph_neighbors(comm, in, from.data(), weights_in.data(), out, to.data(), weights_out.data()) == MPI_SUCCESS;
}

Neighbours::Neighbours(MPI_Comm comm) : comm_(comm) {
  int topology = MPI_UNDEFINED;
  if (comm == MPI_COMM_NULL || PMPI_Topo_test(comm, &topology) != MPI_SUCCESS || communicators::reaches_beyond(comm)) return;
  if (topology == MPI_CART) {
    int dimensions = 0;
    known_ = PMPI_Cartdim_get(comm, &dimensions) == MPI_SUCCESS && 2 * dimensions <= engine::most_absent;
    in_ = out_ = 2 * dimensions;
    cartesian_ = true;
  } else if (topology == MPI_GRAPH) {
    const int me = own_rank(comm);
    known_ = me >= 0 && PMPI_Graph_neighbors_count(comm, me, &in_) == MPI_SUCCESS;
    out_ = in_;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    known_ = PMPI_Dist_graph_neighbors_count(comm, &in_, &out_, &weighted) == MPI_SUCCESS;
  }
}

engine::Absent Neighbours::absent() const {
  engine::Absent absent;
  for (int i = 0; cartesian_ && i < in_; i += 2) {
    int below = MPI_PROC_NULL;
    int above = MPI_PROC_NULL;
    if (PMPI_Cart_shift(comm_, i / 2, 1, &below, &above) != MPI_SUCCESS) continue;
    absent[static_cast<std::size_t>(i)] = below == MPI_PROC_NULL;
    absent[static_cast<std::size_t>(i) + 1] = above == MPI_PROC_NULL;
  }
  return absent;
}

}  // namespace heddle::mpi
