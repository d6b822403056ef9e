// The collective accesses to files that Heddle carries out, with the reasons.
#include "select/choose_file_access.hpp"

#include <gtest/gtest.h>

namespace heddle::select::choose_file_access_test {

TEST(ChooseFileAccess, CarriesViewsThatFillTheRangeTogether) {
  FileAccess all{.writes = true, .holes = true, .bytes = 1 << 20, .range = 1 << 20};
  EXPECT_TRUE(carries(all));
  EXPECT_EQ(why(all), "1048576 bytes of 1048576 in the file: ranks exchange them, and write long pieces");
  all.writes = false;
  EXPECT_TRUE(carries(all));
  EXPECT_EQ(why(all), "1048576 bytes of 1048576 in the file: ranks exchange them, and read long pieces");
}

TEST(ChooseFileAccess, WritesNoByteThatNoRankWrites) {
  const FileAccess gap{.writes = true, .holes = true, .bytes = 4095, .range = 4096};
  EXPECT_FALSE(carries(gap));
  EXPECT_EQ(why(gap), "4095 bytes of 4096 in the file: others may write the rest now");
  const FileAccess twice{.writes = true, .holes = true, .bytes = 4097, .range = 4096};
  EXPECT_FALSE(carries(twice));
  EXPECT_EQ(why(twice), "4097 bytes of 4096 in the file: ranks write the same bytes");
}

TEST(ChooseFileAccess, ReadsGapsIfTheyAreHalfAtMost) {
  FileAccess half{.holes = true, .bytes = 100, .range = 200};
  EXPECT_TRUE(carries(half));
  half.range = 202;
  EXPECT_FALSE(carries(half));
  EXPECT_EQ(why(half), "100 bytes of 202 in the file are too few to read all");
  const FileAccess again{.holes = true, .bytes = 800, .range = 200};
  EXPECT_TRUE(carries(again)) << "all ranks read the same";
}

TEST(ChooseFileAccess, LeavesTheEndOfTheFileToTheLibrary) {
  const FileAccess end{.holes = true, .bytes = 100, .range = 100, .beyond = 1};
  EXPECT_FALSE(carries(end));
  EXPECT_EQ(why(end), "the file ends 1 bytes before the last byte that is read");
}

TEST(ChooseFileAccess, LetsRanksAccessTheirOwnPieces) {
  FileAccess pieces{.writes = true, .bytes = 4096, .range = 4096};
  EXPECT_TRUE(is_independent(pieces));
  EXPECT_FALSE(carries(pieces));
  EXPECT_EQ(why(pieces), "4096 bytes lie in one piece for each rank: each makes the MPI library's independent call");
  pieces.buffered = true;
  EXPECT_FALSE(is_independent(pieces));
  EXPECT_EQ(why(pieces), "4096 bytes lie in one piece for each rank: a hint asks for the MPI library's buffers");
  EXPECT_FALSE(is_independent({.fits = false, .bytes = 4096})) << "the library judges";
  EXPECT_FALSE(is_independent({.holes = true, .bytes = 4096}));
  const FileAccess beyond{.bytes = 4096, .range = 4096, .beyond = 8};
  EXPECT_FALSE(is_independent(beyond));
  EXPECT_EQ(why(beyond), "the file ends 8 bytes before the last byte that is read");
}

TEST(ChooseFileAccess, LeavesAllElseToTheLibrary) {
  FileAccess other{.writes = true, .holes = true, .bytes = 4096, .range = 4096, .least = 4097};
  EXPECT_FALSE(carries(other));
  EXPECT_EQ(why(other), "4096 bytes: the MPI library is as fast below 4097 bytes");
  other = {.writes = true, .fits = false, .holes = true, .bytes = 4096, .range = 4096};
  EXPECT_FALSE(carries(other));
  EXPECT_EQ(why(other), "the arguments of a rank are the MPI library's to judge");
  other = {.writes = true, .holes = true};
  EXPECT_FALSE(carries(other));
  EXPECT_EQ(why(other), "there is nothing to move");
}

TEST(ChooseFileAccess, PacksShortPiecesOfMemory) {
  PackedFileAccess access{.bytes = 4096, .mean_block = 8, .below = 32};
  EXPECT_TRUE(packs(access));
  EXPECT_EQ(why(access), "4096 bytes in blocks of 8 bytes: packed, the MPI library accesses one piece of memory");
  access.mean_block = 32;
  EXPECT_FALSE(packs(access)) << "the library is as fast";
  access = {.bytes = least_packed_for_file - 1, .mean_block = 8, .below = 32};
  EXPECT_FALSE(packs(access)) << "too little to gain";
  access.bytes = most_packed_for_file + 1;
  EXPECT_FALSE(packs(access)) << "too much memory";
}

}  // namespace heddle::select::choose_file_access_test
