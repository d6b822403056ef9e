// Tests over real ranks, with GoogleTest. Every rank of the job runs every test, on a communicator
// of the ranks that the test asks for.
//
//   TEST_RANKS(4, Gather, RootReceivesAllRows) { EXPECT_EQ(team.size, 4); MPI_Gather(..., team.comm); }
//   TEST_EACH_RANKS(1, 8, Gather, OfRandomTypes) { ... }           // once for 1, 2, ... 6, 8 ranks
//
// A failure on any rank fails the job, and names the rank. Ranks that a test does not need wait
// without spinning. A test must not leave early on one rank only while others still communicate. So
// use ASSERT only for results that all ranks see, otherwise EXPECT.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "support/host.hpp"

namespace heddle::test {

struct Team {
  MPI_Comm comm;
  int rank;
  int size;
};

/// Runs `body` on lowest … highest ranks. Leaves out numbers that the job cannot give, and between
/// the two 7 and, above 9, all but 12 and 16.
void with_ranks(int lowest, int highest, const std::function<void(const Team&)>& body);

/// The seed of this run: the same on all ranks, printed at the start, and set by TEST_SEED.
std::uint32_t run_seed();

/// The number of rounds of a collective comparison: TEST_ROUNDS, or `usual`.
int rounds(int usual);

/// During its lifetime, errors on `comm` are returned as codes.
class ReturningErrors {
 public:
  explicit ReturningErrors(MPI_Comm comm) : comm_(comm) {
    MPI_Comm_get_errhandler(comm, &before_);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~ReturningErrors() {
    MPI_Comm_set_errhandler(comm_, before_);
    MPI_Errhandler_free(&before_);
  }
  ReturningErrors(const ReturningErrors&) = delete;
  ReturningErrors& operator=(const ReturningErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

/// MPI_SUCCESS or the class of the code.
int error_class(int code);

inline void succeeds(int code) { EXPECT_EQ(error_class(code), MPI_SUCCESS); }

}  // namespace heddle::test

#define TEST_EACH_RANKS(lowest, highest, suite, name)                                     \
  static void suite##_##name##_body(const heddle::test::Team& team);                      \
  TEST(suite, name) { heddle::test::with_ranks(lowest, highest, suite##_##name##_body); } \
  static void suite##_##name##_body([[maybe_unused]] const heddle::test::Team& team)

#define TEST_RANKS(n, suite, name) TEST_EACH_RANKS(n, n, suite, name)
