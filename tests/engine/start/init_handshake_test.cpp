#include "engine/start/init_handshake.hpp"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>
#include <vector>

namespace heddle::engine::init_handshake_test {
namespace {

using Words = std::vector<std::string_view>;
const Words names = {"HEDDLE_A", "HEDDLE_B", "HEDDLE_C"};

TEST(Handshake, WishesAreThoseOfAllRanks) {
  const Words none;
  const Handshake all = both(both(Handshake(7, none), Handshake(5, none)), Handshake(13, none));
  EXPECT_EQ(all.wishes, 5U);
  EXPECT_TRUE(all.is_one());
}

TEST(Handshake, SettingsAreTheSameOrNamed) {
  const Handshake one(1, Words{"auto", "crystal", "8"});
  EXPECT_EQ(differing(both(one, one), names), "");
  EXPECT_EQ(differing(both(one, Handshake(1, Words{"auto", "direct", "8"})), names), "HEDDLE_B");
  EXPECT_EQ(differing(both(one, Handshake(1, Words{"off", "direct", "8"})), names), "HEDDLE_A and HEDDLE_B");
  EXPECT_EQ(differing(both(one, Handshake(1, Words{"off", "direct", "9"})), names), "HEDDLE_A, HEDDLE_B and HEDDLE_C");
}

TEST(Handshake, ARankThatIsHeardTwiceChangesNothing) {
  const Handshake one(3, Words{"auto", "crystal", "8"});
  const Handshake other(2, Words{"auto", "crystal", "9"});
  const Handshake once = both(one, other);
  EXPECT_EQ(both(once, other).wishes, once.wishes);
  EXPECT_EQ(differing(both(once, one), names), "HEDDLE_C");
}

TEST(Handshake, AllAreOnOneMachineIfEachSaysSo) {
  const Words none;
  const Handshake here(1, none, "one"), there(1, none, "another"), unknown(1, none);
  EXPECT_TRUE(same(both(here, here).machine));
  EXPECT_FALSE(same(both(here, there).machine));
  EXPECT_FALSE(same(both(here, unknown).machine));
  EXPECT_FALSE(same(both(unknown, unknown).machine));
}

TEST(Handshake, EverybodyHearsEverybody) {
  for (const int ranks : {1, 2, 3, 8, 9, 10, 31}) {
    std::vector<std::promise<Handshake>> messages(static_cast<std::size_t>(ranks * ranks));
    const auto message = [&](int from, int to) -> std::promise<Handshake>& {
      return messages[static_cast<std::size_t>(from * ranks + to)];
    };
    std::vector<std::thread> threads;
    for (int me = 0; me < ranks; ++me)
      threads.emplace_back([&, me] {
        const auto tell = [&](const Handshake& what, int to) {
          message(me, to).set_value(what);
          return true;
        };
        const auto hear = [&](int from) { return std::optional(message(from, me).get_future().get()); };
        const std::optional<Handshake> all = handshake_of_all(Handshake(~(1U << me), Words{}), me, ranks, tell, hear);
        ASSERT_TRUE(all);
        EXPECT_EQ(all->wishes, static_cast<unsigned>(~((std::uint64_t{1} << ranks) - 1))) << me << " of " << ranks;
      });
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(Handshake, WhoeverHearsNothingKnowsNothing) {
  int heard = 0;
  int told = 0;
  const auto tell = [&](const Handshake&, int) { return ++told < 3; };
  const auto hear = [&](int) { return ++heard < 2 ? std::optional(Handshake(1, Words{})) : std::nullopt; };
  EXPECT_FALSE(handshake_of_all(Handshake(1, Words{}), 0, 5, tell, hear));
  EXPECT_EQ(heard, 2);
  EXPECT_EQ(told, 0);
  heard = -10;
  EXPECT_FALSE(handshake_of_all(Handshake(1, Words{}), 0, 5, tell, hear));
  EXPECT_EQ(told, 3);
}

TEST(Handshake, OneFileIsOfferedWhereAllAreOnOneMachineAndHaveTheSameTerms) {
  const Words none;
  const transport::Offer file{.process = 7, .descriptor = 3, .device = 1, .inode = 99, .memory = 1 << 20, .shared = 1LL << 40};
  const auto rank = [&](const char* machine, const char* terms, const transport::Offer* offer) {
    Handshake said(wish_node, none, machine);
    said.shares(terms, offer);
    return said;
  };
  const Handshake first = rank("one", "user 5", &file);
  const auto found = both(both(rank("one", "user 5", nullptr), first), rank("one", "user 5", nullptr)).offered();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->process, 7);
  EXPECT_EQ(found->inode, 99U);
  EXPECT_EQ(found->shared, 1LL << 40);
  EXPECT_FALSE(both(first, rank("one", "user 6", nullptr)).offered());
  EXPECT_FALSE(both(first, rank("two", "user 5", nullptr)).offered());
  EXPECT_FALSE(both(first, rank("", "user 5", nullptr)).offered());
  EXPECT_FALSE(both(first, rank("one", "", nullptr)).offered());
  EXPECT_FALSE(both(first, Handshake(wish_node, none, "one")).offered());  // it shares no file
  const transport::Offer nothing;
  EXPECT_FALSE(both(rank("one", "user 5", &nothing), rank("one", "user 5", nullptr)).offered());
}

TEST(Handshake, WhatSomebodyElseHasSentIsSeen) {
  Handshake strange;
  strange.mark[3] = 7;
  EXPECT_FALSE(strange.is_one());
}

TEST(Handshake, MoreSettingsThanThereIsRoomForAreNotCompared) {
  const Words many(Handshake::most + 1, "auto");
  Words others = many;
  others.back() = "off";
  EXPECT_EQ(differing(both(Handshake(1, many), Handshake(1, others)), many), "");
}

TEST(Handshake, CollectivesAreGrantedWhereSettingsAreTheSame) {
  const unsigned wishes = wish_node | wish_exchange;
  const Handshake one(wishes, Words{"auto", "crystal", "8"});
  EXPECT_EQ(granted(both(one, one), names).wishes, wishes);
  EXPECT_EQ(granted(both(one, one), names).complaint, "");
  const Granted other = granted(both(one, Handshake(wishes, Words{"auto", "direct", "8"})), names);
  EXPECT_EQ(other.wishes, wish_node);
  EXPECT_EQ(other.complaint,
            "HEDDLE_B is not the same on all ranks: collectives are left to the MPI library. Set it for all, or for none.");
  const Granted several = granted(both(one, Handshake(wishes, Words{"auto", "direct", "9"})), names);
  EXPECT_EQ(several.wishes, wish_node);
  EXPECT_EQ(
      several.complaint,
      "HEDDLE_B and HEDDLE_C are not the same on all ranks: collectives are left to the MPI library. Set each for all, or "
      "for none.");
}

TEST(Handshake, SettingsOfCollectivesMayDifferWhereNotAllWishThem) {
  const Granted found =
      granted(both(Handshake(wish_node, Words{"off"}), Handshake(wish_node | wish_exchange, Words{"auto"})), Words{"HEDDLE_A"});
  EXPECT_EQ(found.wishes, wish_node);
  EXPECT_EQ(found.complaint, "");
}

TEST(Handshake, AJobWithARankThatDoesNotAnswerEndsWithAWayOut) {
  EXPECT_EQ(not_all_run_heddle("no answer for 60 s"),
            "a rank of this job does not run Heddle (no answer for 60 s). Start all ranks with `heddle run`, or set HEDDLE=off "
            "for all of them; if ranks start that late, set HEDDLE_PATIENCE to more seconds.");
}

}  // namespace
}  // namespace heddle::engine::init_handshake_test
