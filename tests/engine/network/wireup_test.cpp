// First contact over a fabric that needs no hardware. Two ends are in this process, and a list
// stands for MPI's short messages.
#include "engine/network/wireup.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <utility>

namespace heddle::engine::wireup_test {
namespace {

using transport::fabric::Fabric;

constexpr std::uint64_t nonce = 0x1234567890abcdef;

std::unique_ptr<Fabric> over_tcp() {
  transport::fabric::Failure failure{};
  std::string why;
  return Fabric::open({.wanted = {.provider = "tcp"}, .nonce = nonce}, failure, why);
}

/// One rank.
class End final : Wireup::Messenger {
 public:
  bool open() { return fabric.open(over_tcp); }
  void tell(int rank, const Word& word) override { said.emplace_back(rank, word); }
  void complain_of(int /*rank*/) override { ++complaints; }

  SharedFabric fabric;
  Wireup wireup{fabric, *this};
  std::deque<std::pair<int, Word>> said;
  int complaints = 0;
};

/// Rank 0 and rank 1.
class First : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "libfabric is not built for sanitizers";
#endif
    if (!ends[0].open()) GTEST_SKIP() << "no tcp";
  }
  /// Brings all words to their ranks. Words about messages go to `left`.
  void bring() {
    for (int from = 0; from < 2; ++from)
      while (!ends[from].said.empty()) {
        const auto [to, word] = ends[from].said.front();
        ends[from].said.pop_front();
        if (!ends[to].wireup.take(word, from)) left.push_back(word);
      }
  }
  /// Until `holds`, or for 100 seconds.
  template <class Holds>
  bool go_on_until(Holds holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    while (std::chrono::steady_clock::now() < until) {
      bring();
      for (End& each : ends) {
        each.fabric.advance();
        each.wireup.look_at_greetings();
      }
      if (holds()) return true;
    }
    return false;
  }

  End ends[2];
  std::vector<Word> left;
};

TEST_F(First, AMessageIsAnnouncedOnceItsReceiverHasAnswered) {
  ASSERT_TRUE(ends[1].open());
  EXPECT_FALSE(ends[0].wireup.reaches(1)) << "nobody has asked yet";
  EXPECT_FALSE(ends[0].wireup.reaches(1));
  EXPECT_EQ(ends[0].said.size(), 1U) << "it is asked once";
  EXPECT_TRUE(ends[0].fabric.has_messages()) << "the thread is awake until the answer";
  EXPECT_FALSE(ends[1].wireup.greets()) << "it has not heard of it";
  bring();
  EXPECT_TRUE(ends[1].wireup.greets()) << "until the fabric has brought an answer";
  EXPECT_TRUE(go_on_until([this] { return ends[0].wireup.reaches(1); }));
  EXPECT_FALSE(ends[0].fabric.has_messages());
  EXPECT_FALSE(ends[1].fabric.has_messages());
  EXPECT_FALSE(ends[1].wireup.greets());
  EXPECT_EQ(ends[1].complaints, 0);
}

TEST_F(First, NotToARankWithoutAFabric) {
  EXPECT_FALSE(ends[0].wireup.reaches(1));
  EXPECT_TRUE(go_on_until([this] { return !ends[0].fabric.has_messages(); }));
  EXPECT_FALSE(ends[0].wireup.reaches(1));
  EXPECT_TRUE(ends[0].said.empty()) << "nor is it asked again";
}

TEST_F(First, NotToOneThatWantsNone) {
  ASSERT_TRUE(ends[1].open());
  EXPECT_FALSE(ends[0].wireup.reaches(1));
  ASSERT_TRUE(go_on_until([this] { return ends[0].wireup.reaches(1); }));
  ends[1].wireup.want_none();  // it tells the ranks that have asked
  EXPECT_TRUE(go_on_until([this] { return !ends[0].wireup.reaches(1); }));
}

TEST_F(First, ARankIsDoubtedAFewTimes) {
  ASSERT_TRUE(ends[1].open());
  EXPECT_FALSE(ends[0].wireup.reaches(1));
  for (int asked = 1; asked <= 3; ++asked) {
    ASSERT_TRUE(go_on_until([this] { return ends[0].wireup.reaches(1); })) << asked;
    ends[0].wireup.doubt(1);
    EXPECT_FALSE(ends[0].wireup.reaches(1)) << asked;
    EXPECT_EQ(ends[0].said.size(), asked < 3 ? 1U : 0U) << asked;
  }
}

TEST_F(First, WhoScattersSaysSoOnce) {
  EXPECT_FALSE(ends[0].wireup.moves_pieces());
  ends[1].wireup.scatter_hint(0, 24);
  ends[1].wireup.scatter_hint(0, 48);
  bring();
  EXPECT_EQ(ends[0].wireup.scattered_by(1), 24);
  EXPECT_EQ(ends[0].wireup.scattered_by(2), 0);
  EXPECT_TRUE(ends[0].wireup.moves_pieces());
}

TEST_F(First, WordsOfMessagesAreTheirOwners) {
  for (const Word::Kind kind : {Word::unwanted, Word::lost, Word::gone}) EXPECT_FALSE(ends[0].wireup.take({kind, 7}, 1));
}

TEST(SharedFabric, IsMadeByTheFirstThatAsksAndByNobodyElse) {
  SharedFabric fabric;
  int asked = 0;
  const auto none = [&asked] {
    ++asked;
    return std::unique_ptr<Fabric>();
  };
  EXPECT_FALSE(fabric.open(none));
  EXPECT_FALSE(fabric.open(none));
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(fabric.is_open());
  EXPECT_EQ(fabric.mark(), 0U);
}

}  // namespace
}  // namespace heddle::engine::wireup_test
