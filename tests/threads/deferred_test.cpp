#include "threads/deferred.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace heddle::threads::deferred_test {
namespace {

class Item final : public Deferred {
 public:
  Item(int number, std::vector<int>& freed) : number_(number), freed_(freed) {}
  void free() override {
    freed_.push_back(number_);
    delete this;
  }

 private:
  int number_;
  std::vector<int>& freed_;
};

TEST(Deferred, IsFreedOnceInTheOrderItCame) {
  std::vector<int> freed;
  for (int i = 0; i < 3; ++i) Deferred::add(new Item(i, freed));
  EXPECT_TRUE(freed.empty());
  Deferred::free_all();
  EXPECT_EQ(freed, (std::vector{0, 1, 2}));
  Deferred::free_all();
  EXPECT_EQ(freed.size(), 3U);
}

TEST(Deferred, ComesFromSeveralThreads) {
  constexpr int each = 1000;
  std::vector<int> freed;
  const auto add = [&] {
    for (int i = 0; i < each; ++i) Deferred::add(new Item(i, freed));
  };
  std::thread one(add), other(add);
  one.join();
  other.join();
  Deferred::free_all();
  EXPECT_EQ(freed.size(), 2U * each);
}

}  // namespace
}  // namespace heddle::threads::deferred_test
