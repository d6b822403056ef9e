// The encoder sees ranks one by one, keeps little while they are regular, and takes the smallest
// format.
#include "group/encoder.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <stdexcept>

namespace heddle::group {
namespace {

struct Made {
  Group group;
  std::size_t memory;  ///< The most bytes held while encoding.
};

/// rank(0), rank(1), ... rank(size - 1).
Made encode(Rank size, const std::function<Rank(Rank)>& rank) {
  Encoder encoder;
  Made made{{}, 0};
  for (Rank i = 0; i < size; ++i) {
    encoder.add(rank(i));
    if (i % 16 == 0) made.memory = std::max(made.memory, encoder.memory());
  }
  made.group = encoder.finish();
  for (Rank i = 0; i < size; i += 1 + size / 999) EXPECT_EQ(made.group.world_rank(i), rank(i));
  return made;
}

constexpr std::size_t little = 1024;

TEST(Encoder, KnowsRegularSequencesInAFewHundredBytes) {
  struct Case {
    const char* name;
    Format format;
    std::size_t bytes;
    std::function<Rank(Rank)> rank;
  };
  const std::vector<Case> table = {
      {"all", Format::identity, 4, [](Rank i) { return i; }},
      {"from 7 on", Format::stride, 12, [](Rank i) { return i + 7; }},
      {"every third", Format::stride, 12, [](Rank i) { return 3 * i; }},
      {"backwards", Format::stride, 12, [](Rank i) { return 999'999 - i; }},
      {"every k-th left out", Format::grid, 32, [](Rank i) { return i + i / 9 + 1; }},
      {"left out from the middle of a row", Format::grid, 32, [](Rank i) { return i + (i + 5) / 9; }},
      {"a plane of lines", Format::grid, 32, [](Rank i) { return i % 100 + i / 100 * 500 + 40; }},
      {"a brick", Format::grid, 48, [](Rank i) { return i % 10 + i / 10 % 10 * 20 + i / 100 * 400; }},
      {"a brick of four dimensions", Format::grid, 64,
       [](Rank i) { return i % 5 + i / 5 % 5 * 10 + i / 25 % 4 * 100 + i / 100 * 1000; }},
      {"transposed", Format::grid, 32, [](Rank i) { return i % 1000 * 100 + i / 1000; }},
      {"transposed, backwards", Format::grid, 32, [](Rank i) { return 99'999 - i % 1000 * 100 - i / 1000; }},
      {"pairs, swapped", Format::grid, 32, [](Rank i) { return i ^ 1; }},
  };
  for (const Case& one : table) {
    const Made made = encode(100'000, one.rank);
    EXPECT_EQ(made.group.format(), one.format) << one.name;
    EXPECT_EQ(made.group.bytes(), one.bytes) << one.name;
    EXPECT_LE(made.memory, little) << one.name;
  }
}

TEST(Encoder, TakesTheSmallestForIrregularOnes) {
  std::minstd_rand random(3);
  std::vector<Rank> half, few, stretches, shuffled;
  for (Rank i = 0; i < 100'000; ++i) {
    shuffled.push_back(i);
    if (random() % 2) half.push_back(i);
    if (random() % 1000 == 0) few.push_back(i);
    if (i % 1000 < 500 + static_cast<Rank>(random() % 2)) stretches.push_back(i);
  }
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  const auto made = [](const std::vector<Rank>& ranks) {
    return encode(static_cast<Rank>(ranks.size()), [&](Rank i) { return ranks[static_cast<std::size_t>(i)]; });
  };
  EXPECT_EQ(made(half).group.format(), Format::bitmap);
  EXPECT_LE(made(half).group.bytes(), 16'000u);
  EXPECT_EQ(made(few).group.format(), Format::list);
  EXPECT_EQ(made(stretches).group.format(), Format::ranges);
  EXPECT_LE(made(stretches).group.bytes(), 1000u);
  EXPECT_EQ(made(shuffled).group.format(), Format::list);
  for (const auto* ranks : {&half, &few, &shuffled}) {
    const Made one = made(*ranks);
    EXPECT_LE(one.memory, 5 * little + 3 * one.group.bytes());
  }
}

TEST(Encoder, TakesPiecesForWhatTheyAre) {
  Encoder encoder;
  encoder.add(Piece::run(0, 1, 1'000'000));
  encoder.add(Piece::run(1'000'000, 1, 5));
  EXPECT_EQ(encoder.finish().format(), Format::identity);
  for (Rank row = 0; row < 1000; ++row) encoder.add(Piece::run(1000 * row + 3, 1, 900));
  EXPECT_LE(encoder.memory(), little);
  const Group grid = encoder.finish();
  EXPECT_EQ(grid.format(), Format::grid);
  EXPECT_EQ(grid.bytes(), 32u);
  EXPECT_TRUE(encoder.finish().empty()) << "it is empty again";
}

TEST(Encoder, AnyFormatThatFitsCanBeAskedFor) {
  const std::vector<Rank> ranks{3, 4, 5, 9, 10, 17, 21, 22, 23, 24, 30};
  for (const Format format : {Format::list, Format::ranges, Format::chain, Format::bitmap}) {
    Encoder encoder;
    for (const Rank rank : ranks) encoder.add(rank);
    const Group group = encoder.finish(format);
    EXPECT_EQ(group.format(), format);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_EQ(group.world_rank(static_cast<Rank>(i)), ranks[i]);
      EXPECT_EQ(group.rank_of(ranks[i]), static_cast<Rank>(i));
    }
    EXPECT_EQ(group.rank_of(6), undefined);
  }
  Encoder encoder;
  encoder.add(5);
  encoder.add(3);
  EXPECT_THROW((void)encoder.finish(Format::bitmap), std::invalid_argument);
}

TEST(Encoder, RefusesRanksBeyondTheWorld) {
  Encoder encoder;
  EXPECT_THROW(encoder.add(-1), std::invalid_argument);
  EXPECT_THROW(encoder.add(most_ranks), std::invalid_argument);
  EXPECT_THROW((void)Group::world(-1), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::group
