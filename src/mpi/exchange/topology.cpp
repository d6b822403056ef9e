// mpi/exchange/topology.cpp: ranks of a node are named by the lowest of them. What cores there are may differ from node to
// node: the fewest count. A rank that has no memory for it says so before the others wait for it.
#include "mpi/exchange/topology.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "mpi/node/links.hpp"
#include "mpi/node/node.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/progress.hpp"
#include "select/collective/mailboxes.hpp"

namespace heddle::mpi {

Topology topology_of(MPI_Comm comm) {
  int me = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &ranks);
  std::vector<schedule::Rank> lowest_of;
  enum : std::uint8_t { able, mailboxes };
  std::array<int, 2> all = {1, settings_of_process().mailboxes && Node::here()};
  try {
    lowest_of.resize(static_cast<std::size_t>(ranks));
  } catch (const std::bad_alloc&) {
    all[able] = 0;
  }
  PMPI_Allreduce(MPI_IN_PLACE, all.data(), all.size(), MPI_INT, MPI_MIN, comm);
  if (!all[able]) throw std::bad_alloc();
  MPI_Comm node = MPI_COMM_NULL;
  int lowest = me;
  int members = 1;
  if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node) == MPI_SUCCESS) {
    PMPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    PMPI_Comm_size(node, &members);
    PMPI_Comm_free(&node);
  }
  PMPI_Allgather(&lowest, 1, MPI_INT, lowest_of.data(), 1, MPI_INT, comm);
  double crowding = std::max(1.0, static_cast<double>(members) / progress::cores());
  PMPI_Allreduce(MPI_IN_PLACE, &crowding, 1, MPI_DOUBLE, MPI_MAX, comm);
  schedule::Nodes nodes(lowest_of);
  const select::Where where{.ranks = ranks,
                            .nodes = nodes.count(),
                            .members = nodes.largest(),
                            .crowding = crowding,
                            .mailboxes = all[mailboxes] ? select::mailbox_sizes(nodes.largest() - 1).longest : 0,
                            .links = &links_of_job()};
  return {std::move(nodes), where};
}

}  // namespace heddle::mpi
