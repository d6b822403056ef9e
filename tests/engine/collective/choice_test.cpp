#include "engine/exchange/choice.hpp"

#include <gtest/gtest.h>

#include <array>

#include "alone.hpp"

namespace heddle::engine::choice_test {
namespace {

using Call = TrialKind::Call;
using Next = AlgorithmChoice::Next;

constexpr layout::Bytes straight_from = 1 << 16;
constexpr layout::Bytes any = 8;

/// Rank 1 of four on one node.
struct Own {
  explicit Own(const char* alltoallv = "auto", const char* allgatherv = "auto")
      : algorithms(alone, {.alltoallv = alltoallv, .allgatherv = allgatherv}) {}

  Choice of_equal(layout::Bytes bytes) { return choice_of_equal_blocks(algorithms, bytes, straight_from); }
  Choice of_volumes(Call call) {
    const auto bytes = [](int /*rank*/) { return any; };
    return choice_of_volumes(
        algorithms, call, 1,
        [this]() -> const select::Topology& {
          ++asked;
          return around;
        },
        bytes, bytes);
  }
  Choice of_gather(std::span<const select::Bytes> starts, const GatherChoice::Library& library = {}) {
    return choice_of_gather(algorithms, starts, library, [this]() -> const select::Where& { return around.where; });
  }
  bool passes(const Numbers& counts, layout::Bytes size, const GatherChoice::Library& library = {}) {
    return passes_gather(algorithms, counts, 4, size, library);
  }

  Alone alone;
  AlgorithmChoice algorithms;
  select::Topology around = select::topology_of({0, 0, 0, 0}, 4, false, select::builtin_links);
  int asked = 0;  ///< Questions about the topology.
};

/// The name of the algorithm. Empty: the library's.
std::string_view name(const Choice& choice) {
  return choice.candidate.algorithm ? choice.candidate.algorithm->name : std::string_view();
}

const int ones[] = {1, 1, 1, 1};

TEST(Choice, HasNamesOfTrialsByTheArguments) {
  const Buffer<int> data{};
  const VArgument<int> v{};
  const WArgument<int> w{};
  EXPECT_EQ(call_of_all(data), Call::alltoall);
  EXPECT_EQ(call_of_all(v), Call::alltoallv);
  EXPECT_EQ(call_of_all(w), Call::alltoallw);
  EXPECT_EQ(call_of_neighbours(data, false), Call::neighbor_alltoall);
  EXPECT_EQ(call_of_neighbours(data, true), Call::neighbor_allgather);
  EXPECT_EQ(call_of_neighbours(v, false), Call::neighbor_alltoallv);
  EXPECT_EQ(call_of_neighbours(v, true), Call::neighbor_allgatherv);
  EXPECT_EQ(call_of_neighbours(w, false), Call::neighbor_alltoallw);
}

TEST(Choice, IsTheLibrarysWhereThatIsWished) {
  Own own("native");
  for (const Choice& choice : {own.of_volumes(Call::alltoallv), own.of_equal(8192)}) {
    EXPECT_EQ(name(choice), "");
    EXPECT_FALSE(choice.trial);
  }
  EXPECT_EQ(own.asked, 0);
}

TEST(Choice, IsWhatIsWishedWithoutATrial) {
  Own own("crystal");
  for (const Choice& choice : {own.of_volumes(Call::alltoallv), own.of_volumes(Call::alltoallw), own.of_equal(any)}) {
    EXPECT_EQ(name(choice), "crystal");
    EXPECT_FALSE(choice.trial);
  }
  EXPECT_EQ(own.asked, 0);
}

TEST(Choice, BundlesNoBlocksThatGoStraight) {
  Own own("crystal");
  EXPECT_EQ(name(own.of_equal(straight_from)), pair_by_pair().algorithm->name);
  EXPECT_EQ(name(own.of_equal(0)), pair_by_pair().algorithm->name);  // none, or a mistake
}

TEST(Choice, OfBlocksOfOneSizeIsTheLibrarysWhereTheyAreShort) {
  Own own;
  for (const layout::Bytes bytes : {layout::Bytes{0}, equal_blocks_from - 1}) {
    EXPECT_EQ(name(own.of_equal(bytes)), "");
    EXPECT_FALSE(own.of_equal(bytes).trial);
  }
  const Choice choice = own.of_equal(equal_blocks_from);
  EXPECT_EQ(name(choice), pair_by_pair().algorithm->name);
  EXPECT_EQ(choice.trial, (TrialKind{.call = Call::alltoall, .volumes = select::magnitudes({equal_blocks_from})}));
  EXPECT_EQ(choice.next, Next::asks);
}

TEST(Choice, OfOtherBlocksIsWhatRanksHaveAgreedOn) {
  Own own;
  for (const Call call : {Call::alltoallv, Call::alltoallw}) {
    const Choice choice = own.of_volumes(call);
    EXPECT_EQ(name(choice), own.algorithms.agreement().choice().algorithm->name);
    ASSERT_TRUE(choice.trial);
    EXPECT_EQ(choice.trial->call, call);
    EXPECT_EQ(choice.next, Next::passes_agreed);
  }
  EXPECT_EQ(own.asked, 2);
}

TEST(Choice, OfAGatherIsTriedOnlyWhereNothingIsWished) {
  const std::array<select::Bytes, 5> starts{0, 1 << 20, 1 << 20, 1 << 20, 1 << 20};  // all of it is rank 0's
  Own wished("auto", "ring");
  EXPECT_EQ(name(wished.of_gather(starts)), "ring");
  EXPECT_FALSE(wished.of_gather(starts).trial);
  Own native("auto", "native");
  EXPECT_EQ(name(native.of_gather(starts)), "");
  Own own;
  const Choice choice = own.of_gather(starts);
  EXPECT_NE(name(choice), "");
  ASSERT_TRUE(choice.trial);
  EXPECT_EQ(choice.trial->call, Call::allgatherv);
  EXPECT_EQ(choice.next, Next::passes_alike);
}

TEST(Choice, OfALittleGatherNeedsNoLookAtItsBlocks) {
  const int negative[] = {1, 1, -1, 1};
  Own own;
  EXPECT_TRUE(own.passes(ones, 1));
  EXPECT_FALSE(own.passes(ones, 0));  // the size is not known
  EXPECT_FALSE(own.passes(ones, select::worth_gathering_anywhere));
  EXPECT_FALSE(own.passes(negative, 1));
  EXPECT_FALSE(own.passes(Numbers(), 1));
  EXPECT_FALSE(own.passes(ones, 1, {.slow_little = true}));  // it depends on where the ranks are
  Own wished("auto", "ring");
  EXPECT_FALSE(wished.passes(ones, 1));
}

TEST(Choice, OfAGatherLikeTheLastOneThatWasLeftNeedsNoLookAtItsBlocks) {
  Own own;
  const GatherChoice::Library by_sum{.by_sum = true};
  const int some[] = {1, 2, 1, 1};
  own.around = select::topology_of({0, 0, 0, 0}, 1, false, select::builtin_links);
  // all blocks are alike, so their sum says as much
  const std::array<select::Bytes, 5> starts{0, 2048, 4096, 6144, 8192};
  EXPECT_FALSE(own.passes(ones, 2048, by_sum));
  const Choice left = own.of_gather(starts, by_sum);
  EXPECT_EQ(name(left), "");
  EXPECT_FALSE(left.trial);
  EXPECT_TRUE(own.passes(ones, 2048, by_sum));
  EXPECT_FALSE(own.passes(ones, 4096, by_sum));
  EXPECT_FALSE(own.passes(some, 2048, by_sum));
  EXPECT_FALSE(own.passes(ones, layout::Bytes{1} << 62, by_sum));  // more than possible
}

}  // namespace
}  // namespace heddle::engine::choice_test
