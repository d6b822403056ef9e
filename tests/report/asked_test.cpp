#include "report/asked.hpp"

#include <gtest/gtest.h>

namespace heddle::report::asked_test {
namespace {

const Place here{"/home/me/app", 0x10, "swap"};

TEST(Asked, ADatatypeIsToldOfOnce) {
  Asked asked("face");
  EXPECT_TRUE(asked.uses("face", "MPI_Send", here));
  EXPECT_FALSE(asked.uses("edge", "MPI_Send", here));
  EXPECT_EQ(asked.tell("face", "vector(4, 2, 5, double)"), Asked::Telling::first);
  EXPECT_EQ(asked.tell("face", "vector(4, 2, 5, double)"), Asked::Telling::again) << "whatever its handle";
  EXPECT_EQ(asked.tell("face", "vector(9, 2, 5, double)"), Asked::Telling::first) << "another one of that name";
}

TEST(Asked, ThoseWithoutANameHaveNumbers) {
  Asked asked("all");
  EXPECT_EQ(asked.label("face"), "face");
  EXPECT_EQ(asked.label(""), "datatype 1");
  asked.tell("", "contiguous(3, int)");
  EXPECT_EQ(asked.label(""), "datatype 2");
}

TEST(Asked, TooManyAreLeftOut) {
  Asked asked("all");
  for (std::size_t i = 0; i < Asked::most; ++i) EXPECT_EQ(asked.tell("", std::to_string(i)), Asked::Telling::first);
  EXPECT_EQ(asked.tell("", "one more"), Asked::Telling::too_many);
  EXPECT_EQ(asked.tell("", "and one more"), Asked::Telling::left_out) << "said once";
  EXPECT_EQ(asked.tell("", "one more"), Asked::Telling::again);
}

TEST(Asked, NamesThatNothingHadAreSaid) {
  Asked asked("face,corner");
  EXPECT_EQ(
      asked.missing(),
      "HEDDLE_EXPLAIN: Rank 0 has met nothing called face, corner, and other ranks are not asked. No call of rank 0 moved "
      "data of a datatype.");
  asked.uses("face", "MPI_Send", here);
  asked.uses("", "MPI_Send", here);
  EXPECT_TRUE(asked.missing().starts_with(
      "HEDDLE_EXPLAIN=all explains every datatype. Rank 0 has met nothing called corner, "
      "and other ranks are not asked. Datatypes used there: one without a name, face; from: swap ("))
      << asked.missing();
  asked.uses("corner", "MPI_Recv", here);
  EXPECT_EQ(asked.missing(), "");
}

TEST(Asked, HeddleRunHasLookedForFunctions) {
  for (const bool prepared : {false, true}) {
    Asked asked(prepared ? "corner,?" : "corner");
    asked.uses("face", "MPI_Send", here);
    EXPECT_EQ(asked.missing().find("are found by `heddle run`") == std::string::npos, prepared) << asked.missing();
    EXPECT_EQ(asked.missing().find("`heddle run` looked for") != std::string::npos, prepared) << asked.missing();
  }
}

TEST(Asked, LongListsAreCut) {
  Asked asked("none");
  for (int i = 10; i < 25; ++i) asked.uses("type " + std::to_string(i), "MPI_Send", here);
  EXPECT_NE(asked.missing().find("type 10, type 11"), std::string::npos);
  EXPECT_NE(asked.missing().find("type 21 and 3 more; from: "), std::string::npos) << asked.missing();
}

}  // namespace
}  // namespace heddle::report::asked_test
