// Types are numbers here. Type n has n bytes, and its extent is 2n. Numbers up to 0 are refused.
#include "engine/exchange/blocks.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace heddle::engine {
namespace {

int looks = 0;

bool look(int type, Measures& found) noexcept {
  ++looks;
  found = {type, 2 * type};
  return type > 0;
}
using Measure = Ruler<int, look>;
using Data = Buffer<int>;
using V = VArgument<int>;
using W = WArgument<int>;

const std::byte memory[4096]{};

/// The blocks that an exchange was given, in order.
struct Told {
  struct Block {
    Edge edge;
    std::ptrdiff_t at;
    layout::Count count;
    layout::Bytes bytes;
    bool operator==(const Block&) const = default;
  };
  void receive(const Edge& edge, const Data& data, layout::Bytes bytes) { in.push_back(block(edge, data, bytes)); }
  void send(const Edge& edge, const Data& data, layout::Bytes bytes) { out.push_back(block(edge, data, bytes)); }
  static Block block(const Edge& edge, const Data& data, layout::Bytes bytes) {
    return {edge, static_cast<const std::byte*>(data.address) - memory, data.count, bytes};
  }
  std::vector<Block> in, out;
};

TEST(Blocks, AreMeasuredOnceForARowOfOneType) {
  Measure ruler;
  Measures found;
  looks = 0;
  EXPECT_TRUE(ruler.measure(8, found));
  EXPECT_TRUE(ruler.measure(8, found));
  EXPECT_EQ(looks, 1);
  EXPECT_FALSE(ruler.measure(-1, found));
  EXPECT_FALSE(ruler.measure(-1, found));  // a refused type is asked about again
  EXPECT_EQ(looks, 3);
  EXPECT_TRUE(ruler.measure(8, found));
  EXPECT_EQ(found.extent, 16);
}

TEST(Blocks, LieOneAfterTheOtherWhereAllAreAlike) {
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 0;
  ASSERT_TRUE(block_of(Data{memory, 3, 8}, 2, ruler, data, bytes));
  EXPECT_EQ(static_cast<const std::byte*>(data.address) - memory, 2 * 3 * 16);
  EXPECT_EQ(bytes, 24);
}

TEST(Blocks, OfNoElementsHaveNoTypeToLookAt) {
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 1;
  const int counts[] = {0};
  const int types[] = {-1};
  EXPECT_TRUE(block_of(Data{memory, 0, -1}, 0, ruler, data, bytes));
  EXPECT_EQ(bytes, 0);
  EXPECT_TRUE(block_of(V{memory, counts, counts, -1}, 0, ruler, data, bytes));
  EXPECT_TRUE(block_of(W{memory, counts, counts, types}, 0, ruler, data, bytes));
  EXPECT_EQ(bytes, 0);
}

TEST(Blocks, OfNumbersThatNoBufferHasAreRefused) {
  constexpr layout::Count large[] = {std::numeric_limits<layout::Count>::max() / 4};
  const int counts[] = {-1};
  const int places[] = {0};
  const int one[] = {1};
  const int types[] = {8};
  const int unknown[] = {-1};
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 0;
  EXPECT_FALSE(block_of(Data{memory, -1, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(Data{memory, 1, -1}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(Data{memory, large[0], 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(V{memory, counts, places, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(V{memory, large, places, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(V{memory, one, large, 8}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(W{memory, counts, places, types}, 0, ruler, data, bytes));
  EXPECT_FALSE(block_of(W{memory, one, places, unknown}, 0, ruler, data, bytes));
}

TEST(Blocks, NamePlacesInExtentsOrOfTheWProceduresInBytes) {
  const int counts[] = {1, 2};
  const long places[] = {5, 7};
  const int types[] = {4, 8};
  Measure ruler;
  Data data{};
  layout::Bytes bytes = 0;
  ASSERT_TRUE(block_of(V{memory, counts, places, 4}, 1, ruler, data, bytes));
  EXPECT_EQ(Told::block({}, data, bytes), (Told::Block{{}, 7 * 8, 2, 8}));
  ASSERT_TRUE(block_of(W{memory, counts, places, types}, 1, ruler, data, bytes));
  EXPECT_EQ(Told::block({}, data, bytes), (Told::Block{{}, 7, 2, 16}));
}

TEST(Blocks, AddUpUnlessTheyAreBeyondNumbers) {
  const int counts[] = {1, 0, 3};
  constexpr layout::Count half = std::numeric_limits<layout::Count>::max() / 8;
  const layout::Count large[] = {half, half, half};
  layout::Bytes all = 1;
  EXPECT_TRUE((bytes_of_all<Measure>(V{memory, counts, counts, 4}, 3, all)));
  EXPECT_EQ(all, 16);
  EXPECT_FALSE((bytes_of_all<Measure>(V{memory, large, counts, 4}, 3, all)));
}

TEST(Blocks, ToAllAreDueInAnOrderInWhichNoRankIsEverybodysFirst) {
  constexpr int ranks = 5;
  std::vector<Told> all(ranks);
  for (int me = 0; me < ranks; ++me)
    ASSERT_TRUE((to_all<Measure>(me, ranks, Data{memory, 1, 4}, Data{memory, 1, 4}, all[static_cast<std::size_t>(me)])));
  for (std::size_t k = 0; k < ranks; ++k) {
    std::set<int> to;
    for (std::size_t me = 0; me < ranks; ++me) {
      const Told::Block& out = all[me].out[k];
      to.insert(out.edge.rank);
      EXPECT_EQ(all[static_cast<std::size_t>(out.edge.rank)].in[k].edge.rank, static_cast<int>(me));
      EXPECT_EQ(out.at, out.edge.rank * 8);
    }
    EXPECT_EQ(to.size(), std::size_t{ranks});
  }
}

TEST(Blocks, InPlaceGoFromWhereTheAnswersComeToLieButNotThisRanks) {
  const int counts[] = {1, 2, 3};
  const int places[] = {0, 1, 3};
  Told told;
  ASSERT_TRUE((to_all_in_place<Measure>(1, 3, V{memory, counts, places, 4}, told)));
  EXPECT_EQ(told.out, (std::vector<Told::Block>{{{2, 0}, 24, 3, 12}, {{0, 0}, 0, 1, 4}}));
  EXPECT_EQ(told.in, (std::vector<Told::Block>{{{0, 0}, 0, 1, 4}, {{2, 0}, 24, 3, 12}}));
  const int wrong[] = {1, -2, 3};
  Told none;
  EXPECT_FALSE((to_all_in_place<Measure>(1, 3, V{memory, wrong, places, 4}, none)));
  EXPECT_TRUE(none.in.empty() && none.out.empty());
}

TEST(Blocks, OfAGatherAreOneForAll) {
  const int counts[] = {1, 2, 3};
  const int places[] = {0, 1, 3};
  const V receive{memory, counts, places, 4};
  Told told;
  ASSERT_TRUE((gather_to_all<Measure>(1, 3, false, Data{memory + 2048, 2, 4}, receive, told)));
  EXPECT_EQ(told.in.size(), 3U);
  ASSERT_EQ(told.out.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(told.out[k], (Told::Block{{static_cast<int>(1 + k) % 3, 0}, 2048, 2, 8}));
}

TEST(Blocks, OfAGatherInPlaceGoFromThisRanksPlaceToTheOthers) {
  const int counts[] = {1, 2, 3};
  const int places[] = {0, 1, 3};
  Told told;
  ASSERT_TRUE((gather_to_all<Measure>(1, 3, true, Data{nullptr, -1, -1}, V{memory, counts, places, 4}, told)));
  EXPECT_EQ(told.out, (std::vector<Told::Block>{{{2, 0}, 8, 2, 8}, {{0, 0}, 8, 2, 8}}));
  EXPECT_EQ(told.in.size(), 2U);
}

TEST(Blocks, OfAGatherComeFromWhoSendsNothingByMistake) {
  const int counts[] = {1, 2, 3};
  const int places[] = {0, 1, 3};
  Told told;
  ASSERT_TRUE((gather_to_all<Measure>(1, 3, false, Data{memory + 2048, 0, 4}, V{memory, counts, places, 4}, told)));
  for (const Told::Block& block : told.out) EXPECT_EQ(block.bytes, 8);  // as the other ranks expect
}

TEST(Blocks, ToNeighboursKeepTheProgramsOrder) {
  const std::vector<Edge> to = {{3, 0}, {3, 1}};
  const std::vector<Edge> from = {{2, 0}, {-1, 0}, {2, 1}};
  Told told;
  ASSERT_TRUE((to_neighbours<Measure>(to, from, Data{memory, 1, 4}, Data{memory, 1, 8}, told)));
  EXPECT_EQ(told.out, (std::vector<Told::Block>{{to[0], 0, 1, 4}, {to[1], 8, 1, 4}}));
  EXPECT_EQ(told.in, (std::vector<Told::Block>{{from[0], 0, 1, 8}, {from[1], 16, 1, 8}, {from[2], 32, 1, 8}}));
  Told gathered;
  ASSERT_TRUE((gather_to_neighbours<Measure>(to, from, Data{memory, 1, 4}, Data{memory, 1, 8}, gathered)));
  EXPECT_EQ(gathered.out, (std::vector<Told::Block>{{to[0], 0, 1, 4}, {to[1], 0, 1, 4}}));
  EXPECT_EQ(gathered.in, told.in);
}

TEST(Blocks, OfNoNeighboursAreNotLookedAt) {
  Told told;
  EXPECT_TRUE((gather_to_neighbours<Measure>({}, {}, Data{memory, -1, -1}, Data{memory, -1, -1}, told)));
  EXPECT_TRUE((to_neighbours<Measure>({}, {}, Data{memory, -1, -1}, Data{memory, -1, -1}, told)));
  EXPECT_TRUE(told.in.empty() && told.out.empty());
}

}  // namespace
}  // namespace heddle::engine
