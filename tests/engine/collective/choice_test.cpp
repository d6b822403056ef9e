// Types are numbers here. Type n has n bytes without holes. Numbers up to 0 are refused. Address
// `in_place` stands for MPI_IN_PLACE.
#include "engine/exchange/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "alone.hpp"

namespace heddle::engine {
namespace {

bool look(int type, Measures& found) noexcept {
  found = {type, type};
  return type > 0;
}

const std::byte memory[16]{};
const std::byte in_place[1]{};
bool on_one_node = false;

struct OfTest {
  using Ruler = engine::Ruler<int, look>;
  static bool in_place(const void* address) noexcept { return address == engine::in_place; }
  static bool one_node() noexcept { return on_one_node; }
};
using Of = Kinds<OfTest>;
using Data = Buffer<int>;
using V = VArgument<int>;
using W = WArgument<int>;
using Call = TrialKind::Call;

/// Rank 1 of four on one node. It sends to one neighbour and receives from two.
struct Own {
  explicit Own(const char* alltoallv = "auto", const char* allgatherv = "auto")
      : all(alone, {.alltoallv = alltoallv, .allgatherv = allgatherv}) {}

  [[nodiscard]] int me() const { return 1; }
  [[nodiscard]] int ranks() const { return 4; }
  [[nodiscard]] bool has_neighbours() const { return neighbours; }
  [[nodiscard]] const std::vector<Edge>& in() const { return from; }
  [[nodiscard]] const std::vector<Edge>& out() const { return to; }
  [[nodiscard]] AlgorithmChoice& algorithms() { return all; }
  [[nodiscard]] const AlgorithmChoice& algorithms() const { return all; }
  const select::Topology& topology() {
    ++asked;
    return around;
  }
  bool library(const TrialKind& kind, TimedCall& /*timed*/, AlgorithmChoice::Next next) {
    trials.push_back(kind);
    nexts.push_back(next);
    return quicker;
  }

  Alone alone;
  AlgorithmChoice all;
  select::Topology around = select::topology_of({0, 0, 0, 0}, 4, false, select::builtin_links);
  std::vector<Edge> from{{0, 0}, {2, 0}}, to{{3, 0}};
  bool neighbours = true;
  bool quicker = false;  ///< The library's way is quicker.
  int asked = 0;
  std::vector<TrialKind> trials;
  std::vector<AlgorithmChoice::Next> nexts;
};

/// The ranks that an exchange receives from and sends to, in order.
struct Told {
  void receive(const Edge& edge, const Data& /*data*/, layout::Bytes /*bytes*/) { in.push_back(edge.rank); }
  void send(const Edge& edge, const Data& /*data*/, layout::Bytes /*bytes*/) { out.push_back(edge.rank); }
  std::vector<int> in, out;
};

const int ones[] = {1, 1, 1, 1};
const int places[] = {0, 1, 2, 3};
const int bytes_of_type[] = {1, 1, 1, 1};

constexpr layout::Bytes straight_from = 1 << 16;

/// The name of the way. Empty: the library's.
template <class Given>
std::string_view choice_of(Own& own, const Given& given) {
  TimedCall timed;
  const select::Candidate choice = choice_of_all<Of>(own, given, given, straight_from, timed);
  return choice.algorithm ? choice.algorithm->name : std::string_view();
}

TEST(Kinds, HaveABlockForEachRankOrEachNeighbour) {
  const Own own;
  EXPECT_EQ(Of::All::sends(own), 4);
  EXPECT_EQ(Of::All::receives(own), 4);
  EXPECT_EQ(Of::Neighbours::sends(own), 1);
  EXPECT_EQ(Of::Neighbours::receives(own), 2);
}

TEST(Kinds, OfAllAreLongBlocksOfOneSizeAndAnyOfSeveral) {
  EXPECT_TRUE(Of::All::ours(Data{memory, 4096, 1}, Data{memory, 4096, 1}));
  EXPECT_TRUE(Of::All::ours(Data{memory, 512, 8}, Data{memory, 512, 8}));
  EXPECT_FALSE(Of::All::ours(Data{memory, 4095, 1}, Data{memory, 4095, 1}));
  EXPECT_FALSE(Of::All::ours(Data{memory, 4096, 0}, Data{memory, 4096, 0}));    // refused
  EXPECT_FALSE(Of::All::ours(Data{memory, -4096, 1}, Data{memory, -4096, 1}));  // a mistake
  EXPECT_TRUE(Of::All::ours(V{memory, ones, places, 1}, V{memory, ones, places, 1}));
  EXPECT_FALSE(Of::All::ours(V{in_place, ones, places, 1}, V{memory, ones, places, 1}));
}

TEST(Kinds, OfACommunicatorAreWhatIsWishedOfItAndWhatItHas) {
  Own own;
  EXPECT_TRUE(Of::All::of(own));
  EXPECT_TRUE(Of::Neighbours::of(own));
  own.neighbours = false;
  EXPECT_FALSE(Of::GatherNeighbours::of(own));
  EXPECT_FALSE(Of::All::of(Own("native")));
  EXPECT_FALSE(Of::InPlace::of(Own("native")));
  on_one_node = false;
  EXPECT_FALSE(Of::GatherAll::of(own));
  on_one_node = true;
  EXPECT_TRUE(Of::GatherAll::of(own));
}

TEST(Kinds, FillAnExchangeWithTheirBlocks) {
  const Own own;
  const V v{memory, ones, places, 1};
  Told all, inside, around, gathered;
  EXPECT_TRUE(Of::All::fill(own, v, v, all));
  EXPECT_EQ(all.out, (std::vector{1, 2, 3, 0}));
  EXPECT_TRUE(Of::InPlace::fill(own, v, v, inside));
  EXPECT_EQ(inside.out, (std::vector{2, 3, 0}));
  EXPECT_TRUE(Of::Neighbours::fill(own, v, v, around));
  EXPECT_EQ(around.in, (std::vector{0, 2}));
  EXPECT_EQ(around.out, (std::vector{3}));
  EXPECT_TRUE(Of::GatherNeighbours::fill(own, Data{memory, 1, 1}, v, gathered));
  EXPECT_EQ(gathered.in, (std::vector{0, 2}));
}

TEST(Kinds, ThatGatherAllKeepOwnBlocksWhereTheyLieInPlace) {
  const Own own;
  const V v{memory, ones, places, 1};
  Told moved, kept;
  EXPECT_TRUE(Of::GatherAll::fill(own, Data{memory, 1, 1}, v, moved));
  EXPECT_EQ(moved.in.size(), 4U);
  EXPECT_TRUE(Of::GatherAll::fill(own, Data{in_place, 0, 0}, v, kept));
  EXPECT_EQ(kept.in.size(), 3U);
}

TEST(Kinds, ThatGatherAllAreWorthItFrom64KiBOn) {
  const Own own;
  const Data any{memory, 1, 1};
  EXPECT_FALSE(Of::GatherAll::worth(own, any, V{memory, ones, places, (16 << 10) - 1}));
  EXPECT_TRUE(Of::GatherAll::worth(own, any, V{memory, ones, places, 16 << 10}));
  // a refused type: every rank finds the error
  EXPECT_TRUE(Of::GatherAll::worth(own, any, V{memory, ones, places, 0}));
}

TEST(Kinds, HaveNamesOfTrialsByTheirArguments) {
  const Data data{};
  const V v{};
  const W w{};
  EXPECT_EQ(call_of_all(data), Call::alltoall);
  EXPECT_EQ(call_of_all(v), Call::alltoallv);
  EXPECT_EQ(call_of_all(w), Call::alltoallw);
  EXPECT_EQ(call_of_neighbours(data, false), Call::neighbor_alltoall);
  EXPECT_EQ(call_of_neighbours(data, true), Call::neighbor_allgather);
  EXPECT_EQ(call_of_neighbours(v, false), Call::neighbor_alltoallv);
  EXPECT_EQ(call_of_neighbours(v, true), Call::neighbor_allgatherv);
  EXPECT_EQ(call_of_neighbours(w, false), Call::neighbor_alltoallw);
}

TEST(Bundled, AreBlocksShorterThanTheLimit) {
  const int counts[] = {0, 1, 9, 10};
  const V v{memory, counts, places, 1};
  const Bundled<OfTest::Ruler, V> bundled(v, 10);
  EXPECT_EQ(bundled(1), 1);
  EXPECT_EQ(bundled(2), 9);
  EXPECT_EQ(bundled(3), 0);
  const V half{memory, counts, Numbers(), 1};
  EXPECT_EQ((Bundled<OfTest::Ruler, V>(half, 10)(1)), 0);  // a mistake of the program's
}

TEST(Choice, IsTheLibrarysWhereThatIsWished) {
  Own own("native");
  EXPECT_EQ(choice_of(own, V{memory, ones, places, 1}), "");
  EXPECT_TRUE(own.trials.empty());
}

TEST(Choice, IsWhatIsWishedWithoutATrial) {
  Own own("crystal");
  own.quicker = true;
  EXPECT_EQ(choice_of(own, V{memory, ones, places, 1}), "crystal");
  EXPECT_EQ(choice_of(own, W{memory, ones, places, bytes_of_type}), "crystal");
  EXPECT_EQ(choice_of(own, Data{memory, 8, 1}), "crystal");
  EXPECT_EQ(choice_of(own, Data{memory, straight_from, 1}), pair_by_pair().algorithm->name);  // nothing to bundle
  EXPECT_TRUE(own.trials.empty());
}

TEST(Choice, OfBlocksOfOneSizeIsTheLibrarysWhereTheyAreShort) {
  Own own;
  EXPECT_EQ(choice_of(own, Data{memory, 8, 1}), "");
  EXPECT_TRUE(own.trials.empty());
  EXPECT_EQ(choice_of(own, Data{memory, 8192, 1}), pair_by_pair().algorithm->name);
  ASSERT_EQ(own.trials.size(), 1U);
  EXPECT_EQ(own.trials[0], (TrialKind{.call = Call::alltoall, .volumes = select::magnitudes({8192})}));
  EXPECT_EQ(own.nexts[0], AlgorithmChoice::Next::asks);
}

TEST(Choice, OfOtherBlocksIsWhatRanksHaveAgreedOn) {
  Own own;
  EXPECT_EQ(choice_of(own, V{memory, ones, places, 1}), own.algorithms().agreement().choice().algorithm->name);
  EXPECT_EQ(choice_of(own, W{memory, ones, places, bytes_of_type}), own.algorithms().agreement().choice().algorithm->name);
  ASSERT_EQ(own.trials.size(), 2U);
  EXPECT_EQ(own.trials[0].call, Call::alltoallv);
  EXPECT_EQ(own.trials[1].call, Call::alltoallw);
  EXPECT_EQ(own.nexts[1], AlgorithmChoice::Next::passes_agreed);
}

TEST(Choice, IsTheLibrarysWhereATrialSaysSo) {
  Own own;
  own.quicker = true;
  EXPECT_EQ(choice_of(own, V{memory, ones, places, 1}), "");
  EXPECT_EQ(choice_of(own, Data{memory, 8192, 1}), "");
}

TEST(Choice, OfAGatherIsTriedOnlyWhereNothingIsWished) {
  const std::array<select::Bytes, 5> starts{0, 1 << 20, 1 << 20, 1 << 20, 1 << 20};  // all of it is rank 0's
  const auto choice_of = [&starts](Own& own) {
    TimedCall timed;
    return choice_of_gather(own, starts, {}, timed).algorithm;
  };
  Own wished("auto", "ring");
  wished.quicker = true;
  ASSERT_NE(choice_of(wished), nullptr);
  EXPECT_EQ(choice_of(wished)->name, "ring");
  EXPECT_TRUE(wished.trials.empty());
  Own native("auto", "native");
  EXPECT_EQ(choice_of(native), nullptr);
  Own own;
  ASSERT_NE(choice_of(own), nullptr);
  ASSERT_EQ(own.trials.size(), 1U);
  EXPECT_EQ(own.trials[0].call, Call::allgatherv);
  EXPECT_EQ(own.nexts[0], AlgorithmChoice::Next::passes_alike);
  own.quicker = true;
  EXPECT_EQ(choice_of(own), nullptr);
}

/// passes_gather() of elements of that size. `asked` counts the questions about the size.
bool gather_passes(Own& own, const Numbers& counts, layout::Bytes size, int& asked, GatherChoice::Library library = {}) {
  return passes_gather(own, counts, library, [&] { return ++asked, size; });
}

TEST(Choice, OfALittleGatherNeedsNoLookAtItsBlocks) {
  const int negative[] = {1, 1, -1, 1};
  int asked = 0;
  const auto little = [&asked](Own& own, const Numbers& counts, layout::Bytes size, GatherChoice::Library library = {}) {
    return gather_passes(own, counts, size, asked, library);
  };
  Own own;
  EXPECT_TRUE(little(own, ones, 1));
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(little(own, ones, 0));  // the size is not known
  EXPECT_FALSE(little(own, ones, select::worth_gathering_anywhere));
  EXPECT_FALSE(little(own, negative, 1));
  asked = 0;
  EXPECT_FALSE(little(own, Numbers(), 1));
  Own wished("auto", "ring");
  EXPECT_FALSE(little(wished, ones, 1));
  EXPECT_EQ(asked, 0);
  EXPECT_FALSE(little(own, ones, 1, {.slow_little = true}));  // it depends on where the ranks are
}

TEST(Choice, OfAGatherLikeTheLastOneThatWasLeftNeedsNoLookAtItsBlocks) {
  Own own;
  int asked = 0;
  const GatherChoice::Library by_sum{.by_sum = true};
  const int some[] = {1, 2, 1, 1};
  own.around = select::topology_of({0, 0, 0, 0}, 1, false, select::builtin_links);
  // all blocks are alike, so their sum says as much
  const std::array<select::Bytes, 5> starts{0, 2048, 4096, 6144, 8192};
  EXPECT_FALSE(gather_passes(own, ones, 2048, asked, by_sum));
  TimedCall timed;
  ASSERT_EQ(choice_of_gather(own, starts, by_sum, timed).algorithm, nullptr);
  EXPECT_TRUE(own.trials.empty());
  EXPECT_TRUE(gather_passes(own, ones, 2048, asked, by_sum));
  EXPECT_FALSE(gather_passes(own, ones, 4096, asked, by_sum));
  EXPECT_FALSE(gather_passes(own, some, 2048, asked, by_sum));
  EXPECT_FALSE(gather_passes(own, ones, layout::Bytes{1} << 62, asked, by_sum));  // more than possible
}

}  // namespace
}  // namespace heddle::engine
