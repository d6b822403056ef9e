// The ways of MPI_Put and MPI_Get, with the reasons.
#include "select/choose_one_sided.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace heddle::select::choose_one_sided_test {
namespace {

/// Data with holes at the origin, for memory of another process.
constexpr OneSided apart{.origin_in_one_piece = false,
                         .target_in_one_piece = true,
                         .bytes = 8192,
                         .apart = true,
                         .copied = true,
                         .fenced = true,
                         .mean_block = 64,
                         .least_fenced = 4096,
                         .fenced_below = 1024};

}  // namespace

TEST(ChooseOneSided, LeavesDataInOnePieceToTheLibrary) {
  const OneSided rows{.origin_in_one_piece = true, .target_in_one_piece = true, .bytes = 4096};
  EXPECT_EQ(way(rows), OneSidedWay::library);
  EXPECT_EQ(why(rows), "4096 bytes lie in one piece on both sides: the MPI library copies them as fast");
  const OneSided nothing{.origin_in_one_piece = false, .target_in_one_piece = false, .bytes = 0};
  EXPECT_EQ(way(nothing), OneSidedWay::library);
  EXPECT_EQ(why(nothing), "there is nothing to move");
}

TEST(ChooseOneSided, LeavesFewBytesToTheLibrary) {
  OneSided few{.origin_in_one_piece = false, .target_in_one_piece = true, .bytes = 4095, .least = 4096};
  EXPECT_EQ(way(few), OneSidedWay::library);
  EXPECT_EQ(why(few), "4095 bytes: the MPI library is as fast below 4096 bytes");
  few.bytes = few.least;
  EXPECT_EQ(way(few), OneSidedWay::direct);
}

TEST(ChooseOneSided, CarriesHolesOnEitherSide) {
  for (const auto& [origin, target, at] : {std::tuple{false, true, "the origin"}, std::tuple{true, false, "the target"},
                                           std::tuple{false, false, "the origin and the target"}}) {
    const OneSided access{.origin_in_one_piece = origin, .target_in_one_piece = target, .bytes = 64};
    EXPECT_EQ(way(access), OneSidedWay::direct);
    EXPECT_NE(why(access).find(std::string("holes at ") + at + " "), std::string::npos) << why(access);
  }
}

TEST(ChooseOneSided, LetsShortBlocksWaitForAFence) {
  EXPECT_EQ(way(apart), OneSidedWay::fenced);
  EXPECT_EQ(
      why(apart),
      "8192 bytes with holes at the origin in blocks of 64 bytes: packed, and unpacked by the other rank in MPI_Win_fence");
  OneSided get = apart;
  get.gets = true;
  EXPECT_EQ(why(get),
            "8192 bytes with holes at the origin in blocks of 64 bytes: packed by the other rank in MPI_Win_fence, and "
            "unpacked there");
  OneSided few = apart;
  few.bytes = 4095;
  EXPECT_EQ(way(few), OneSidedWay::library);
  EXPECT_EQ(why(few), "4095 bytes: the MPI library is as fast below 4096 bytes");
  few.bytes = 512;
  few.many_blocks = 9;
  EXPECT_EQ(way(few), OneSidedWay::library);
  EXPECT_EQ(why(few), "512 bytes: the MPI library is as fast below 4096 bytes in fewer than 9 blocks");
  few.many_blocks = 8;
  EXPECT_EQ(way(few), OneSidedWay::fenced);
  OneSided longer = apart;
  longer.mean_block = 1024;
  EXPECT_EQ(way(longer), OneSidedWay::library);
  EXPECT_EQ(why(longer), "blocks of 1024 bytes: the MPI library is as fast");
}

TEST(ChooseOneSided, LetsTheSystemCopyLongBlocks) {
  OneSided longer = apart;
  longer.mean_block = across_from;
  EXPECT_EQ(way(longer), OneSidedWay::across);
  EXPECT_EQ(why(longer),
            "8192 bytes with holes at the origin: the system copies up to 1024 blocks at once to or from the target's process");
  longer.copied = false;
  longer.fenced_below = 1 << 20;
  EXPECT_EQ(way(longer), OneSidedWay::fenced);
}

TEST(ChooseOneSided, LetsTheSystemCopyShortBlocksIfTheUserWants) {
  OneSided epoch = apart;
  epoch.fenced = false;
  EXPECT_EQ(way(epoch), OneSidedWay::library);
  EXPECT_EQ(why(epoch), "only the target reaches its memory quickly, and this epoch has no closing fence");
  epoch.all = true;
  EXPECT_EQ(way(epoch), OneSidedWay::across);
  epoch.copied = false;
  EXPECT_EQ(way(epoch), OneSidedWay::library);
}

TEST(ChooseOneSided, MovesNothingInOnePieceToMemoryThatIsApart) {
  OneSided rows = apart;
  rows.origin_in_one_piece = true;
  EXPECT_EQ(way(rows), OneSidedWay::library);
}

}  // namespace heddle::select::choose_one_sided_test
