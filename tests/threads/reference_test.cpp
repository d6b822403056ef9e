#include "threads/reference.hpp"

#include <gtest/gtest.h>

#include "threads/reference_count.hpp"

namespace heddle::threads {
namespace {

class Thing final : public ReferenceCount<Thing> {
 public:
  explicit Thing(bool& there) : there_(there) { there_ = true; }
  ~Thing() { there_ = false; }

 private:
  bool& there_;
};

TEST(Reference, TheLastUseEndsIt) {
  bool there = false;
  auto first = Reference<Thing>::taken(new Thing(there));
  EXPECT_FALSE(first->held_by_several());
  {
    const Reference<Thing> second(first.get());
    EXPECT_TRUE(first->held_by_several());
    EXPECT_TRUE(second == first);
  }
  EXPECT_FALSE(first->held_by_several());
  first = {};
  EXPECT_FALSE(there);
  EXPECT_FALSE(first);
}

TEST(Reference, ACopyIsAUseAndAMoveIsNone) {
  bool there = false;
  auto first = Reference<Thing>::taken(new Thing(there));
  Reference<Thing> second = first;
  EXPECT_TRUE(first->held_by_several());
  Reference<Thing> third = std::move(second);
  second = {};
  EXPECT_TRUE(third->held_by_several());
  first = third;  // the same object: still two
  first = std::move(third);
  EXPECT_FALSE(first->held_by_several());
  EXPECT_TRUE(there);
}

TEST(Reference, NothingIsHeldToo) {
  const Reference<Thing> nothing(nullptr);
  const Reference<Thing> copy = nothing;
  EXPECT_FALSE(copy);
  EXPECT_EQ(copy.get(), nullptr);
}

}  // namespace
}  // namespace heddle::threads
