#include "threads/life.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle::threads::life_test {
namespace {

class LifeOf : public testing::Test {
 protected:
  void begin() {
    life.begin([this] { return wake(); });
  }
  void end() {
    life.end([this] { ++cleaned; });
  }
  bool awake() {
    return life.awake([this] { return wake(); });
  }

  Life life;
  bool wakes = true;
  int woken = 0, cleaned = 0;

 private:
  bool wake() {
    ++woken;
    return wakes;
  }
};

TEST_F(LifeOf, TheFirstUserWakesItAndTheLastEndsIt) {
  EXPECT_FALSE(life.has_begun());
  begin();
  begin();
  EXPECT_EQ(woken, 1);
  end();
  EXPECT_EQ(cleaned, 0);
  EXPECT_TRUE(awake());
  end();
  EXPECT_EQ(cleaned, 1);
  EXPECT_FALSE(awake());
  EXPECT_TRUE(life.has_begun());
  EXPECT_EQ(woken, 1);
}

TEST_F(LifeOf, WhoeverAsksWakesIt) {
  EXPECT_TRUE(awake());
  begin();
  EXPECT_EQ(woken, 1);
  end();
  EXPECT_FALSE(awake());
  EXPECT_EQ(woken, 1);
}

TEST_F(LifeOf, ItBeginsAnewAfterItsEnd) {
  begin();
  end();
  begin();
  EXPECT_EQ(woken, 2);
  EXPECT_TRUE(awake());
}

TEST_F(LifeOf, WhatIsOffStaysSoAndIsNotCleanedUp) {
  wakes = false;
  begin();
  begin();
  EXPECT_FALSE(awake());
  EXPECT_EQ(woken, 1);
  end();
  end();
  EXPECT_EQ(cleaned, 0);
  wakes = true;
  begin();
  EXPECT_TRUE(awake());
}

TEST_F(LifeOf, AnEndWithoutABeginIsNotCounted) {
  EXPECT_TRUE(awake());
  end();
  end();
  EXPECT_EQ(cleaned, 1);
  begin();
  EXPECT_TRUE(awake());
  end();
  EXPECT_EQ(cleaned, 2);
}

TEST_F(LifeOf, OneOfManyThreadsWakesIt) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { EXPECT_TRUE(awake()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(woken, 1);
}

}  // namespace
}  // namespace heddle::threads::life_test
