// Deals the ranks of one machine to nodes in turn. Heddle asks MPI_Comm_split_type for the ranks of
// a node, and before that the system for its name. A program defines both functions, and Heddle
// finds them before the host's.
#pragma once

#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "support/host.hpp"

namespace heddle::test {

/// Replaces PMPI_Comm_split_type for MPI_COMM_TYPE_SHARED. Collective.
inline int split_by_nodes(int nodes, MPI_Comm comm, int key, MPI_Comm* made) {
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  return PMPI_Comm_split(comm, me % nodes, key, made);
}

/// Replaces uname(2). From MPI_Init on, the host name begins with a letter for the node. nodes = 0:
/// the system's own name.
inline int uname_of_node(int nodes, utsname* system) {
  const auto result = static_cast<int>(syscall(SYS_uname, system));
  int begun = 0;
  if (nodes == 0 || result != 0 || PMPI_Initialized(&begun) != MPI_SUCCESS || !begun) return result;
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  constexpr std::size_t most = sizeof system->nodename - 1;
  std::memmove(system->nodename + 1, system->nodename, std::min(std::strlen(system->nodename) + 1, most));
  system->nodename[0] = static_cast<char>('a' + me % nodes);
  system->nodename[most] = '\0';
  return result;
}

}  // namespace heddle::test
