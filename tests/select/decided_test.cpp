// The texts of HEDDLE_CHECK if ranks differ.
#include "select/collective/decided.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "schedule/algorithms.hpp"

namespace heddle::select::decided_test {
namespace {

std::string text(const Decided& decided, long number = 3) { return text_of(decided, number).data(); }

TEST(Alike, ACallItsNumberAndItsWay) {
  const std::string direct(schedule::alltoallv_direct.name);
  EXPECT_EQ(text({"MPI_Alltoallv", {}}), "MPI_Alltoallv (call 3) by the MPI library's");
  EXPECT_EQ(text({"MPI_Alltoallv", {.algorithm = &schedule::alltoallv_direct}}), "MPI_Alltoallv (call 3) by " + direct);
  EXPECT_EQ(text({"MPI_Alltoallv", {.algorithm = &schedule::alltoallv_direct, .radix = 4, .segment = 4096}, true}),
            "MPI_Alltoallv in place (call 3) by " + direct + " of radix 4 in segments of 4096 B");
}

TEST(Alike, WhetherCountsAreLargeIsEachRanksOwnAffair) {
  EXPECT_EQ(text_of({"MPI_Alltoallv_c", {}}, 3), text_of({"MPI_Alltoallv", {}}, 3));
  EXPECT_NE(text_of({"MPI_Alltoallv", {}}, 3), text_of({"MPI_Alltoallv", {}}, 4));
}

TEST(Alike, RanksAreNamedByWhatTheyHaveInCommon) {
  const DecidedText one = text_of({"MPI_Bcast", {}}, 1), other = text_of({"MPI_Gather", {}}, 1);
  const std::vector<DecidedText> all = {one, other, one, one, one, other, other};
  EXPECT_EQ(
      disagreement(all),
      "ranks do not agree on a collective (HEDDLE_CHECK): ranks 0, 2 to 4: MPI_Bcast (call 1) by the MPI library's; ranks "
      "1, 5, 6: MPI_Gather (call 1) by the MPI library's. Counts, types or the order of calls do not fit together in the "
      "program.");
  EXPECT_EQ(
      disagreement(std::vector{one, other}),
      "ranks do not agree on a collective (HEDDLE_CHECK): rank 0: MPI_Bcast (call 1) by the MPI library's; rank 1: "
      "MPI_Gather (call 1) by the MPI library's. Counts, types or the order of calls do not fit together in the program.");
}

}  // namespace
}  // namespace heddle::select::decided_test
