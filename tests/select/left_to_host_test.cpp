// What a library that packs while it sends moves better than Heddle.
#include "select/left_to_host.hpp"

#include <gtest/gtest.h>

namespace heddle::select {
namespace {

constexpr layout::Bytes short_message = 16 << 10, long_message = 256 << 10;

TEST(LeftToHost, WhatGoesToOneself) {
  for (const bool blocking : {false, true})
    for (const layout::Bytes bytes : {short_message, long_message})
      EXPECT_TRUE(left_to_host({.bytes = bytes, .own = true, .blocking = blocking}));
}

TEST(LeftToHost, NonblockingToANearCore) {
  EXPECT_TRUE(left_to_host({.bytes = short_message, .blocking = false, .line = 20}));
  EXPECT_FALSE(left_to_host({.bytes = short_message, .blocking = false, .line = 60}));
}

TEST(LeftToHost, OneAtATimeOnlyIfLong) {
  EXPECT_FALSE(left_to_host({.bytes = short_message, .blocking = true, .line = 20}));
  EXPECT_TRUE(left_to_host({.bytes = long_message, .blocking = true, .line = 20}));
  EXPECT_FALSE(left_to_host({.bytes = long_message, .blocking = true, .line = 60}));
}

TEST(LeftToHost, NotWhereTheDistanceIsUnknownOrRanksShareCores) {
  EXPECT_FALSE(left_to_host({.bytes = long_message, .blocking = false, .line = 0}));
  EXPECT_FALSE(left_to_host({.bytes = long_message, .blocking = false, .crowded = true, .line = 20}));
}

}  // namespace
}  // namespace heddle::select
