// The MPI_Put and MPI_Get that Heddle carries out, with the reasons.
#include "select/choose_one_sided.hpp"

#include <gtest/gtest.h>

namespace heddle::select {

TEST(ChooseOneSided, LeavesDataInOnePieceToTheLibrary) {
  const OneSided rows{.origin_in_one_piece = true, .target_in_one_piece = true, .bytes = 4096};
  EXPECT_FALSE(carries(rows));
  EXPECT_EQ(why(rows), "4096 bytes lie in one piece on both sides: the MPI library copies them as fast");
  const OneSided nothing{.origin_in_one_piece = false, .target_in_one_piece = false, .bytes = 0};
  EXPECT_FALSE(carries(nothing));
  EXPECT_EQ(why(nothing), "there is nothing to move");
}

TEST(ChooseOneSided, LeavesFewBytesToTheLibrary) {
  OneSided few{.origin_in_one_piece = false, .target_in_one_piece = true, .bytes = 4095, .least = 4096};
  EXPECT_FALSE(carries(few));
  EXPECT_EQ(why(few), "4095 bytes: the MPI library is as fast below 4096 bytes");
  few.bytes = few.least;
  EXPECT_TRUE(carries(few));
}

TEST(ChooseOneSided, CarriesHolesOnEitherSide) {
  for (const auto& [origin, target, at] : {std::tuple{false, true, "the origin"}, std::tuple{true, false, "the target"},
                                           std::tuple{false, false, "the origin and the target"}}) {
    const OneSided access{.origin_in_one_piece = origin, .target_in_one_piece = target, .bytes = 64};
    EXPECT_TRUE(carries(access));
    EXPECT_NE(why(access).find(std::string("holes at ") + at + " "), std::string::npos) << why(access);
  }
}

TEST(ChooseOneSided, SaysThatTheSystemCopies) {
  OneSided apart{.origin_in_one_piece = false, .target_in_one_piece = true, .bytes = 64, .apart = true};
  EXPECT_TRUE(carries(apart));
  EXPECT_EQ(why(apart),
            "64 bytes with holes at the origin: the system copies up to 1024 blocks at once to or from the target's process");
  apart.origin_in_one_piece = true;
  EXPECT_FALSE(carries(apart));
}

}  // namespace heddle::select
