// Communicators that tests make, and checks that Heddle knows their members.
//
//   const Made odd = split(comm, rank_in(comm) % 2, 0);              freed at the end of the scope
//   expect_right(odd, "MPI_Comm_split", Known::asked);               every rank is who the host says; a message arrives
#pragma once

#include <string>

#include "support/known_group.hpp"
#include "support/owned.hpp"

namespace heddle::test {

using Made = Owned<Communicator>;

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// MPI_COMM_NULL is right, too.
void expect_right(MPI_Comm comm, const std::string& what, Known wanted = Known::either);

Made split(MPI_Comm comm, int color, int key);

/// Even ranks against odd ranks, with the odd ranks in reverse. `comm` has two or more ranks.
Made bridge(MPI_Comm comm);

}  // namespace heddle::test
