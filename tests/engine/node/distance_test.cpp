// The believed distance to another core, and its corrections. The test sets the time.
#include "engine/node/distance.hpp"

#include <gtest/gtest.h>

namespace heddle::engine::distance_test {
namespace {

std::int64_t time_ns = 0;
std::int64_t step_ns = 0;

/// Each look at the clock takes step_ns.
std::int64_t now() { return time_ns += step_ns; }

Distances distances(int ranks) {
  step_ns = 20;  // the cost of a look, which is subtracted
  return {ranks, now};
}

void fetch(Distances& receiver, int rank, Control& control, std::int64_t ns) {
  step_ns = 20 + ns;
  control.generation = 7;
  EXPECT_EQ(receiver.fetch(rank, control), 7U);
}

TEST(Distances, TheLessOfTheLastTwo) {
  Distances all = distances(3);
  Control control;
  EXPECT_EQ(all.line(1), 0U);
  const std::pair<int, std::uint32_t> seen[] = {{40, 40}, {5000, 40}, {200, 200}, {190, 190}, {35, 35}, {0, 1}};
  for (const auto& [ns, line] : seen) {
    fetch(all, 1, control, ns);
    EXPECT_EQ(all.line(1), line) << ns;
  }
  EXPECT_EQ(all.line(0), 0U);
  EXPECT_EQ(all.line(2), 0U);
}

TEST(Distances, ASenderIsToldWhatItDoesNotKnow) {
  Distances sender = distances(2), receiver = distances(2);
  Control control;
  const auto send = [&](std::int64_t ns) {
    const std::uint32_t asked = sender.ask(1, control);
    fetch(receiver, 0, control, ns);
    sender.hear(1, asked, control);
    return sender.line(1);
  };
  EXPECT_EQ(send(40), 40U);
  EXPECT_EQ(send(60), 40U);   // a single value may be chance
  EXPECT_EQ(send(200), 40U);  // the receiver saw 60, which is near enough: to tell it would cost a cache line
  EXPECT_EQ(send(180), 180U);
  EXPECT_EQ(send(30), 30U);
}

TEST(Distances, WhatItHasSeenItselfMeanwhileStays) {
  Distances both = distances(2);
  Control out, in;
  const std::uint32_t asked = both.ask(1, out);
  fetch(both, 1, in, 170);
  both.hear(1, asked, out);
  EXPECT_EQ(both.line(1), 170U);
}

TEST(Distances, OneMessageOf128IsDue) {
  Distances all = distances(2);
  int due = 0;
  for (int i = 0; i < 512; ++i) {
    const bool now = all.due(1);
    EXPECT_EQ(now, i % 128 == 127) << i;
    due += now;
  }
  EXPECT_EQ(due, 4);
  EXPECT_FALSE(all.due(0)) << "each rank is counted by itself";
}

}  // namespace
}  // namespace heddle::engine::distance_test
