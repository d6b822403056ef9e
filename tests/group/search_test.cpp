// Searches in large descriptions: many ranges, bitmaps with gaps, chains of interleaved pieces;
// both searches of the bitmap.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "group/encoder.hpp"

namespace heddle::group {
namespace {

void expect_both_ways(const Group& group, const std::vector<Rank>& ranks) {
  ASSERT_EQ(group.size(), static_cast<Rank>(ranks.size()));
  for (Rank i = 0; i < group.size(); ++i) {
    ASSERT_EQ(group.world_rank(i), ranks[static_cast<std::size_t>(i)]) << i;
    ASSERT_EQ(group.rank_of(ranks[static_cast<std::size_t>(i)]), i) << i;
  }
}

Group encode(const std::vector<Rank>& ranks, Format format) {
  Encoder encoder;
  for (const Rank rank : ranks) encoder.add(rank);
  return encoder.finish(format);
}

TEST(Ranges, ManyOfUnequalLengthInAnyOrder) {
  std::minstd_rand random(1);
  std::vector<std::vector<Rank>> stretches;
  Rank at = 5;
  for (int i = 0; i < 3000; ++i, at += 1 + static_cast<Rank>(random() % 50)) {
    stretches.emplace_back();
    for (int n = random() % 100 == 0 ? 3000 : 1 + static_cast<int>(random() % 3); n > 0; --n) stretches.back().push_back(at++);
  }
  for (const bool shuffled : {false, true}) {
    if (shuffled) std::shuffle(stretches.begin(), stretches.end(), random);
    std::vector<Rank> ranks;
    for (const auto& stretch : stretches) ranks.insert(ranks.end(), stretch.begin(), stretch.end());
    expect_both_ways(encode(ranks, Format::ranges), ranks);
  }
}

TEST(Bitmap, DenseThinAndWithHoles) {
  std::minstd_rand random(2);
  std::vector<Rank> ranks;
  for (Rank at = 1000; at < 400'000; ++at) {
    const unsigned one_in = at < 50'000 ? 2 : at < 100'000 ? 1 : at < 300'000 ? 5000 : 3;
    if (random() % one_in == 0) ranks.push_back(at);
  }
  expect_both_ways(encode(ranks, Format::bitmap), ranks);
}

TEST(Bitmap, BothSearchesAgree) {
  Bitmap::Line lines[2];  // the second is the index: all in line 0
  Bitmap::Line& line = lines[0];
  std::minstd_rand random(3);
  for (auto& word : line.word) word = (std::uint64_t{random()} << 33) ^ (std::uint64_t{random()} << 11) ^ random();
  const bitmap::View map{lines, 1, 9};
  std::uint32_t ones = 0;
  for (std::uint32_t bit = 0; bit < Bitmap::bits; ++bit) {
    EXPECT_EQ(bitmap::portable::before(map, bit), ones);
    if ((line.word[bit / 64] >> bit % 64 & 1) == 0) continue;
    EXPECT_EQ(bitmap::portable::select(map, ones), bit);
#ifdef __x86_64__
    if (__builtin_cpu_supports("bmi2")) {
      EXPECT_EQ(bitmap::bmi2::before(map, bit), ones);
      EXPECT_EQ(bitmap::bmi2::select(map, ones), bit);
    }
#endif
    ++ones;
  }
}

TEST(Chain, OfPiecesThatInterleave) {
  Encoder encoder;
  std::vector<Rank> ranks;
  for (const Rank start : {1, 5, 0, 3, 9, 2, 7, 13, 11, 10, 4}) {
    const Rank step = 16, size = 100 + start;
    encoder.add(Piece::run(start, step, size));
    for (Rank i = 0; i < size; ++i) ranks.push_back(start + i * step);
  }
  const Group chain = encoder.finish();
  EXPECT_EQ(chain.format(), Format::chain);
  expect_both_ways(chain, ranks);
  for (Rank i = 0; i < 2000; ++i) {
    const bool member = std::find(ranks.begin(), ranks.end(), i) != ranks.end();
    EXPECT_EQ(chain.contains(i), member);
  }
}

}  // namespace
}  // namespace heddle::group
