#include "threads/held.hpp"

#include <gtest/gtest.h>

#include "threads/counted.hpp"

namespace heddle::threads {
namespace {

class Thing final : public Counted<Thing> {
 public:
  explicit Thing(bool& there) : there_(there) { there_ = true; }
  ~Thing() { there_ = false; }

 private:
  bool& there_;
};

TEST(Held, TheLastUseEndsIt) {
  bool there = false;
  auto first = Held<Thing>::taken(new Thing(there));
  EXPECT_FALSE(first->held_by_several());
  {
    const Held<Thing> second(first.get());
    EXPECT_TRUE(first->held_by_several());
    EXPECT_TRUE(second == first);
  }
  EXPECT_FALSE(first->held_by_several());
  first = {};
  EXPECT_FALSE(there);
  EXPECT_FALSE(first);
}

TEST(Held, ACopyIsAUseAndAMoveIsNone) {
  bool there = false;
  auto first = Held<Thing>::taken(new Thing(there));
  Held<Thing> second = first;
  EXPECT_TRUE(first->held_by_several());
  Held<Thing> third = std::move(second);
  second = {};
  EXPECT_TRUE(third->held_by_several());
  first = third;  // the same object: still two
  first = std::move(third);
  EXPECT_FALSE(first->held_by_several());
  EXPECT_TRUE(there);
}

TEST(Held, NothingIsHeldToo) {
  const Held<Thing> nothing(nullptr);
  const Held<Thing> copy = nothing;
  EXPECT_FALSE(copy);
  EXPECT_EQ(copy.get(), nullptr);
}

}  // namespace
}  // namespace heddle::threads
