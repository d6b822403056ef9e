#include "support/made.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::test {
namespace {

/// Sends a large message with holes to the next rank, or, on an inter-communicator, to the rank of
/// the same number.
void expect_delivery(MPI_Comm comm, const std::string& what) {
  if (comm == MPI_COMM_NULL) return;
  int inter = 0, others = 0;
  MPI_Comm_test_inter(comm, &inter);
  int next = rank_in(comm), previous = next;
  if (inter) {
    MPI_Comm_remote_size(comm, &others);
    if (next >= others) next = previous = MPI_PROC_NULL;
  } else {
    others = size_of(comm);
    previous = (next + others - 1) % others;
    next = (next + 1) % others;
  }
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  MPI_Type_vector(128, 32, 64, MPI_INT, &rows);
  MPI_Type_commit(&rows);
  std::vector<int> sent(128 * 64, rank_in(MPI_COMM_WORLD)), got(sent.size(), -1);
  MPI_Sendrecv(sent.data(), 1, rows, next, 3, got.data(), 1, rows, previous, 3, comm, MPI_STATUS_IGNORE);
  if (previous != MPI_PROC_NULL) {
    const int sender = ranks_of_host(comm)[static_cast<std::size_t>(previous)];
    EXPECT_EQ(got[0], sender) << what;
    EXPECT_EQ(got[127 * 64 + 31], sender) << what;
    EXPECT_EQ(got[32], -1) << what;
  }
  MPI_Type_free(&rows);
}

}  // namespace

void expect_right(MPI_Comm comm, const std::string& what, Known wanted) {
  expect_known(comm, what, wanted);
  expect_delivery(comm, what);
}

Made split(MPI_Comm comm, int color, int key) {
  return Made([=](MPI_Comm* made) { return MPI_Comm_split(comm, color, key, made); });
}

Made bridge(MPI_Comm comm) {
  const int size = size_of(comm), side = rank_in(comm) % 2;
  const int leaders[2] = {0, (size - 2) / 2 * 2 + 1};
  const Made own = split(comm, side, side ? -rank_in(comm) : 0);
  return Made([&](MPI_Comm* made) { return MPI_Intercomm_create(own, 0, comm, leaders[1 - side], 6, made); });
}

}  // namespace heddle::test
