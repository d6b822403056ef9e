#include "layout/kernel/colliding_stores.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "layout/kernel/choose_kernel.hpp"

namespace heddle::layout::kernel::colliding_stores_test {
namespace {

constexpr Count blocks = 200;
constexpr Bytes block = 8, stride = 4096;
constexpr Dim column{blocks, stride, block};

Kernel kernel_of_column() { return chosen(std::span(&column, 1), block)->choice.kernel; }

void expect_that_a_column_is_unpacked() {
  std::vector<std::byte> packed(blocks * block), memory(blocks * stride, std::byte{0xEE});
  for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i * 7);
  nest(memory.data(), packed.data(), std::span(&column, 1), block);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const std::size_t row = i / stride, at = i % stride;
    wrong += memory[i] != (at < block ? packed[row * block + at] : std::byte{0xEE});
  }
  EXPECT_EQ(wrong, 0U);
}

TEST(CollidingStores, AreCaredForUnlessTheyAreTimed) {
  time_colliding_stores(false);
  EXPECT_TRUE(colliding_stores_pay());
  EXPECT_EQ(kernel_of_column(), Kernel::few_stores);
  expect_that_a_column_is_unpacked();
}

// The answer is this processor's. It stays, and the choice follows it.
TEST(CollidingStores, AreTimedOnce) {
  time_colliding_stores(true);
  const bool pays = colliding_stores_pay();
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(colliding_stores_pay(), pays);
    EXPECT_EQ(kernel_of_column() == Kernel::few_stores, pays);
  }
  expect_that_a_column_is_unpacked();
  time_colliding_stores(false);
  EXPECT_EQ(kernel_of_column(), Kernel::few_stores);
}

// The decision for one piece is no nest's.
TEST(CollidingStores, ChangeNothingForOnePiece) {
  EXPECT_EQ(chosen({}, 64)->choice, (Choice{Kernel::copy, Because::one_piece}));
  EXPECT_EQ(chosen({}, 4096)->choice, (Choice{Kernel::copy, Because::one_piece}));
}

}  // namespace
}  // namespace heddle::layout::kernel::colliding_stores_test
