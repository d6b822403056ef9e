#include "report/remembered.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::report::remembered_test {
namespace {

const char here[2] = {};

TEST(Remembered, CallsOfOneKindAreAskedAboutOnce) {
  Remembered remembered;
  int asked = 0;
  const auto meet = [&](const Met::Calls& calls) { return remembered.meet(calls, [&](Met& met) { met.size = ++asked; }); };
  const Met* const first = meet({1, &here[0], 7, 9});
  EXPECT_EQ(meet({1, &here[0], 7, 9}), first);
  EXPECT_EQ(asked, 1);
  for (const Met::Calls& other :
       {Met::Calls{2, &here[0], 7, 9}, {1, &here[1], 7, 9}, {1, &here[0], 8, 9}, {1, &here[0], 7, 10}})
    EXPECT_NE(meet(other), first);
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(first->size, 1);
}

TEST(Remembered, HandlesThatMayMeanOthersAreAskedAboutAnew) {
  Remembered remembered;
  int asked = 0;
  const auto meet = [&] { return remembered.meet({1, here, 7, 9}, [&](Met&) { ++asked; }); };
  const Met* const first = meet();
  ++handles_changed;
  EXPECT_EQ(meet(), first);
  EXPECT_EQ(asked, 2);
  meet();
  EXPECT_EQ(asked, 2);
}

TEST(Remembered, WhatFailsToBeAskedIsAskedAgain) {
  Remembered remembered;
  EXPECT_THROW(remembered.meet({1, here, 7, 9}, [](Met&) { throw std::bad_alloc(); }), std::bad_alloc);
  bool asked = false;
  EXPECT_TRUE(remembered.meet({1, here, 7, 9}, [&](Met&) { asked = true; }));
  EXPECT_TRUE(asked);
}

TEST(Remembered, ThereIsAnEndToIt) {
  Remembered remembered;
  std::uint64_t met = 0;
  while (met <= 2 * Remembered::most && remembered.meet({1, here, met, 0}, [](Met&) {})) ++met;
  EXPECT_EQ(met, Remembered::most);
}

TEST(Remembered, PartnersStayAsLongAsTheyAreTheSame) {
  Remembered remembered;
  std::vector<int> world = {0, 1};
  const auto partners = [&](int place) {
    const Met* const met = remembered.meet({1, &here[place], 7, 9}, [&](Met& fresh) {
      fresh.partners = remembered.partners(9, [&] { return Partners{.me = 0, .world = world}; });
    });
    return met->partners.load();
  };
  const Partners* const first = partners(1);
  EXPECT_EQ(partners(0), first) << "of one communicator";
  ++handles_changed;
  EXPECT_EQ(partners(1), first);
  world = {0, 2};
  EXPECT_EQ(partners(1), first) << "nobody has said that handles mean others";
  ++handles_changed;
  const Partners* const second = partners(1);
  EXPECT_NE(second, first);
  EXPECT_EQ(second->world, world);
  EXPECT_EQ(first->world, (std::vector{0, 1})) << "others may be reading it";
}

TEST(Remembered, StartsMoveWhatWasPlanned) {
  Remembered remembered;
  std::map<int, std::int64_t> told;
  const auto start = [&](std::uint64_t request) {
    return remembered.start(request, [&](int rank, std::int64_t bytes) { told[rank] += bytes; });
  };
  EXPECT_EQ(start(5), -1);
  remembered.plan(5, {.bytes = 96, .to = {{3, 64}, {4, 32}}});
  remembered.plan(6, {.bytes = -1});
  EXPECT_EQ(start(5), 96);
  EXPECT_EQ(start(5), 96);
  EXPECT_EQ(start(6), -1);
  EXPECT_EQ(told, (std::map<int, std::int64_t>{{3, 128}, {4, 64}}));
  remembered.plan(5, {.bytes = 0});
  EXPECT_EQ(start(5), 0);
}

TEST(Remembered, ThreadsMeetTheSame) {
  Remembered remembered;
  std::atomic<int> asked = 0;
  const auto meet_all = [&] {
    for (std::uint64_t i = 0; i < 500; ++i) remembered.meet({1, here, i, 0}, [&](Met&) { ++asked; });
  };
  std::thread one(meet_all), other(meet_all);
  one.join();
  other.join();
  EXPECT_EQ(asked, 500);
}

}  // namespace
}  // namespace heddle::report::remembered_test
