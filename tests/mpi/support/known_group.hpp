// Compares Heddle's knowledge of a communicator's group with the host's
// (src/mpi/calls/call_hooks.cpp).
//
//   expect_known(row, "MPI_Cart_sub", Known::composed);     // before anybody asked
#pragma once

#include <string>
#include <vector>

#include "support/host.hpp"

namespace heddle::test {

/// The ranks in MPI_COMM_WORLD of all ranks that messages on `comm` can reach, by the host. -1: a
/// rank of another world.
std::vector<int> ranks_of_host(MPI_Comm comm);

enum class Known {
  composed,  ///< From the call that made it, without a question.
  asked,     ///< Only by this question.
  either,
};

/// Asks for every rank, and for some ranks that do not exist. Does nothing if Heddle is not at
/// work, or for MPI_COMM_NULL.
void expect_known(MPI_Comm comm, const std::string& what, Known wanted = Known::either);

/// The format of the group. Empty: Heddle is not at work.
std::string format_of(MPI_Comm comm);

}  // namespace heddle::test
