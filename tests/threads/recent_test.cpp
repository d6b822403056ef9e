#include "threads/recent.hpp"

#include <gtest/gtest.h>

namespace heddle::threads::recent_test {
namespace {

template <class All, class Handle>
int found(const All& recent, Handle handle) {
  unsigned about = 0;
  return recent.find(handle, about) ? static_cast<int>(about) : -1;
}

TEST(Recent, WhatWasNotedIsFound) {
  Recent<6, 7> recent;
  EXPECT_EQ(found(recent, 1275068685), -1);
  recent.note(1275068685, 100);
  EXPECT_EQ(found(recent, 1275068685), 100);
  recent.note(1275068685, 3);
  EXPECT_EQ(found(recent, 1275068685), 3);
}

TEST(Recent, OfOneHashItIsTheLast) {
  Recent<0, 7> recent;
  recent.note(1, 10);
  recent.note(2, 20);
  EXPECT_EQ(found(recent, 1), -1);
  EXPECT_EQ(found(recent, 2), 20);
}

TEST(Recent, AHandleThatDoesNotFitIsNotNoted) {
  Recent<0, 7> recent;
  recent.note(1, 10);
  recent.note(reinterpret_cast<const void*>(std::uintptr_t{1} << 60), 5);
  EXPECT_EQ(found(recent, 1), 10);
}

}  // namespace
}  // namespace heddle::threads::recent_test
