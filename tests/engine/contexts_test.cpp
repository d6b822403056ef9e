// The communicators of messages between nodes: what a sender may announce, and what a receiver
// concludes.
#include "engine/network/contexts.hpp"

#include <gtest/gtest.h>

namespace heddle::engine::contexts_test {
namespace {

constexpr int to = 3, other = 4;

TEST(Contexts, OneAtATimeIsUnknownToARank) {
  Contexts contexts;
  EXPECT_TRUE(contexts.announce(to, 7));
  EXPECT_TRUE(contexts.announce(to, 7)) << "any number of messages";
  EXPECT_TRUE(contexts.asks(to, 7));
  EXPECT_FALSE(contexts.may_announce(to, 8));
  EXPECT_FALSE(contexts.announce(to, 8));
  EXPECT_TRUE(contexts.announce(other, 8)) << "each rank by itself";
  contexts.known_by(to, 7);
  EXPECT_FALSE(contexts.asks(to, 7));
  EXPECT_TRUE(contexts.announce(to, 8));
  EXPECT_TRUE(contexts.announce(to, 7)) << "known ones at any time";
  EXPECT_FALSE(contexts.announce(to, 9));
}

TEST(Contexts, TellCommunicatorsApart) {
  constexpr int from = 1;
  Contexts contexts;
  EXPECT_TRUE(contexts.may_be(from, 7, 20)) << "nothing is known";
  contexts.learn(from, 7, 20);
  EXPECT_TRUE(contexts.may_be(from, 7, 20));
  EXPECT_FALSE(contexts.may_be(from, 7, 21));
  EXPECT_FALSE(contexts.may_be(from, 8, 20));
  EXPECT_TRUE(contexts.may_be(from, 8, 21)) << "the one that is unknown at both ends";
  EXPECT_TRUE(contexts.may_be(2, 8, 20)) << "numbers are a sender's own";
}

TEST(Contexts, OfACommunicatorThatIsNotKnownFitToAll) {
  Contexts contexts;
  EXPECT_TRUE(contexts.announce(to, 7));
  EXPECT_TRUE(contexts.announce(to, 0));
  EXPECT_FALSE(contexts.asks(to, 0));
  contexts.learn(1, 7, 0);
  contexts.learn(1, 8, 20);
  EXPECT_TRUE(contexts.may_be(1, 0, 20));
  EXPECT_TRUE(contexts.may_be(1, 8, 0));
  EXPECT_TRUE(contexts.may_be(1, 7, 21)) << "nobody knows whose it is";
}

TEST(Contexts, AreAskedForAgainWhenTheyAreForgotten) {
  Contexts contexts;
  for (std::uint32_t context = 1; context <= Contexts::most + 1; ++context) {
    EXPECT_TRUE(contexts.announce(to, context));
    contexts.known_by(to, context);
    contexts.learn(1, context, context);
  }
  EXPECT_TRUE(contexts.asks(to, 1));
  EXPECT_FALSE(contexts.asks(to, 2));
  EXPECT_TRUE(contexts.may_be(1, 2, 2));
  EXPECT_FALSE(contexts.may_be(1, 2, 3));
}

}  // namespace
}  // namespace heddle::engine::contexts_test
