#include "select/collective/hints.hpp"

#include <gtest/gtest.h>

namespace heddle::select::hints_test {
namespace {

constexpr std::size_t alltoallv = 0, allgatherv = 1;

TEST(Hints, CountAsTheSettingsSpellThem) {
  GivenHints given;
  given.take(alltoallv, "Crystal");
  EXPECT_EQ(given.word(alltoallv), "crystal");
  EXPECT_EQ(given.compared(alltoallv), "crystal");
  EXPECT_EQ(given.complaint(alltoallv, true), "");
  Hints hints;
  hints.*hint_keys[alltoallv].hint = given.word(alltoallv);
  EXPECT_EQ(hints.alltoallv, "crystal");
  EXPECT_EQ(hints.allgatherv, "");
}

TEST(Hints, ThatWereNotGivenAreEmpty) {
  const GivenHints given;
  EXPECT_EQ(given.word(allgatherv), "");
  EXPECT_EQ(given.compared(allgatherv), "");
  EXPECT_EQ(given.complaint(allgatherv, true), "");
}

TEST(Hints, ThatAreNotTheSameOnAllRanksAreIgnoredWithASentence) {
  GivenHints given;
  given.take(allgatherv, "ring");
  EXPECT_EQ(
      given.complaint(allgatherv, false),
      "the hint heddle_allgatherv is not the same on all ranks of a communicator; it is ignored. Give it to all of them.");
}

TEST(Hints, OfNoMeaningAreEqualAndIgnoredWithASentence) {
  GivenHints one;
  GivenHints other;
  one.take(alltoallv, "sideways");
  other.take(alltoallv, "upside-down");
  EXPECT_EQ(one.compared(alltoallv), other.compared(alltoallv));
  EXPECT_EQ(one.complaint(alltoallv, true),
            "the hint heddle_alltoallv=sideways is no algorithm; it is ignored. `heddle algorithms` lists them.");
}

}  // namespace
}  // namespace heddle::select::hints_test
