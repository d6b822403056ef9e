#include "threads/reference.hpp"

#include <gtest/gtest.h>

#include "threads/reference_count.hpp"

namespace heddle::threads::reference_test {
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
  EXPECT_FALSE(first->is_shared());
  {
    const Reference<Thing> second(first.get());
    EXPECT_TRUE(first->is_shared());
    EXPECT_TRUE(second == first);
  }
  EXPECT_FALSE(first->is_shared());
  first = {};
  EXPECT_FALSE(there);
  EXPECT_FALSE(first);
}

TEST(Reference, ACopyIsAUseAndAMoveIsNone) {
  bool there = false;
  auto first = Reference<Thing>::taken(new Thing(there));
  Reference<Thing> second = first;
  EXPECT_TRUE(first->is_shared());
  Reference<Thing> third = std::move(second);
  second = {};
  EXPECT_TRUE(third->is_shared());
  first = third;  // the same object: still two
  first = std::move(third);
  EXPECT_FALSE(first->is_shared());
  EXPECT_TRUE(there);
}

TEST(Reference, NothingIsHeldToo) {
  const Reference<Thing> nothing(nullptr);
  const Reference<Thing> copy = nothing;
  EXPECT_FALSE(copy);
  EXPECT_EQ(copy.get(), nullptr);
}

}  // namespace
}  // namespace heddle::threads::reference_test
