// The messages that a library moves better than Heddle, if it packs while it sends.
#include "select/left_to_host.hpp"

#include <gtest/gtest.h>

namespace heddle::select::left_to_host_test {
namespace {

TEST(LeftToHost, WhatGoesToOneself) {
  for (const bool blocking : {false, true}) EXPECT_TRUE(left_to_host({.own = true, .blocking = blocking}));
}

TEST(LeftToHost, NonblockingToANearCore) {
  EXPECT_TRUE(left_to_host({.blocking = false, .line = 20}));
  EXPECT_TRUE(left_to_host({.blocking = false, .line = 80}));
  EXPECT_FALSE(left_to_host({.blocking = false, .line = 140}));
}

TEST(LeftToHost, OneAtATimeNever) {
  for (const double line : {20.0, 140.0}) EXPECT_FALSE(left_to_host({.blocking = true, .line = line}));
}

TEST(LeftToHost, NotWhereTheDistanceIsUnknownOrRanksShareCores) {
  EXPECT_FALSE(left_to_host({.blocking = false, .line = 0}));
  EXPECT_FALSE(left_to_host({.blocking = false, .crowded = true, .line = 20}));
}

}  // namespace
}  // namespace heddle::select::left_to_host_test
