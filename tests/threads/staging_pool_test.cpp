#include "threads/staging_pool.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

namespace heddle::threads::staging_pool_test {
namespace {

using layout::Bytes;

bool aligned(const std::byte* buffer, std::uintptr_t to) { return reinterpret_cast<std::uintptr_t>(buffer) % to == 0; }

TEST(Pool, GivesTheLastBufferOfThatSizeAgain) {
  Pool pool;
  int list = -1, other = -1;
  std::byte* const buffer = pool.take(5000, list);
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(aligned(buffer, 4096));
  std::memset(buffer, 1, 5000);
  pool.give(buffer, list);
  EXPECT_EQ(pool.take(8192, other), buffer);
  EXPECT_EQ(other, list);
  std::byte* const larger = pool.take(8193, other);
  EXPECT_NE(larger, buffer);
  EXPECT_NE(other, list);
  pool.give(larger, other);
  pool.give(buffer, list);
  pool.clear();
}

TEST(Pool, AlignsHugeBuffersToHugePages) {
  Pool pool;
  int list = -1;
  std::byte* const buffer = pool.take(Bytes{8} << 20, list);
  ASSERT_TRUE(buffer);
  EXPECT_TRUE(aligned(buffer, std::uintptr_t{2} << 20));
  pool.give(buffer, list);
  pool.clear();
}

TEST(Pool, HasNoBufferOfAbsurdSize) {
  Pool pool;
  int list = -1;
  EXPECT_FALSE(pool.take(std::numeric_limits<Bytes>::max(), list));
}

TEST(Pool, KeepsNoMoreThanItMay) {
  Pool pool;
  pool.keep_at_most(0);
  int list = -1;
  std::byte* const buffer = pool.take(1, list);
  ASSERT_TRUE(buffer);
  pool.give(buffer, list);  // freed: the address sanitizer would find a leak
}

TEST(StagingBuffer, IsOnTheStackWhereThatIsEnough) {
  StagingBuffer small, large;
  const auto within = [](const StagingBuffer& buffer) {
    const auto* const at = reinterpret_cast<const std::byte*>(&buffer);
    return buffer.data() >= at && buffer.data() < at + sizeof buffer;
  };
  ASSERT_TRUE(small.reserve(StagingBuffer::on_stack));
  ASSERT_TRUE(large.reserve(StagingBuffer::on_stack + 1));
  EXPECT_TRUE(within(small));
  EXPECT_FALSE(within(large));
}

}  // namespace
}  // namespace heddle::threads::staging_pool_test
