// What Heddle knows of a communicator's group, held against what the host says (src/mpi/calls/seen.cpp).
//
//   expect_known(row, "MPI_Cart_sub", Known::composed);     // before anybody asked
#pragma once

#include <string>
#include <vector>

#include "support/host.hpp"

namespace heddle::test {

/// The ranks in MPI_COMM_WORLD of all that messages on `comm` can be sent to, as the host has it; -1: of another world.
std::vector<int> ranks_of_host(MPI_Comm comm);

enum class Known {
  composed,  ///< From the call that made it: nobody has been asked.
  asked,     ///< Not before this question.
  either,
};

/// Asks for every rank, and for some that are not there. Nothing where Heddle is not at work, or for MPI_COMM_NULL.
void expect_known(MPI_Comm comm, const std::string& what, Known wanted = Known::either);

/// The format it is kept in; empty where Heddle is not at work.
std::string format_of(MPI_Comm comm);

}  // namespace heddle::test
