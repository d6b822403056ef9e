#include "layout/dual_context.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "random_type.hpp"

namespace heddle::layout::dual_context_test {
namespace {

/// All data that a context hands over, in order, and the number of its packs.
struct Received {
  std::vector<std::byte> bytes;
  int packed = 0;
  int vectors = 0;
};

Received receive(DualContext context) {
  Received all;
  std::array<std::byte, 64> stage;
  std::array<iovec, 4> entries;
  while (!context.done()) {
    const Portion portion = context.next(stage, entries);
    ++(portion.packed ? all.packed : all.vectors);
    if (portion.packed) all.bytes.insert(all.bytes.end(), stage.begin(), stage.begin() + portion.bytes);
    for (std::size_t i = 0; i < portion.entries; ++i) {
      const auto* piece = static_cast<const std::byte*>(entries[i].iov_base);
      all.bytes.insert(all.bytes.end(), piece, piece + entries[i].iov_len);
    }
  }
  return all;
}

RC_GTEST_PROP(DualContext, HandsOverTheTypeMap, (const test::Choices& choices, std::uint8_t many, std::uint8_t dense)) {
  const test::Sample type = test::random_type(choices);
  const Count count = many % 4;
  test::Memory memory(type, count, 1);
  const Received all = receive({type.layout, count, memory.base(), static_cast<double>(dense % 32), 1 + many % 15});
  RC_LOG() << type.text << "\n";
  RC_ASSERT(all.bytes == test::gathered(type, count, memory.base()));
}

TEST(DualContext, PacksTheSparsePartAndHandsOverTheDenseOne) {
  const std::array<Count, 2> one{1, 1};
  const std::array<Bytes, 2> at{0, 4096};
  const std::array<Layout, 2> halves{vector(64, 1, 8, basic(4)), vector(8, 16, 32, basic(4))};
  const Layout mixed = structure(one, at, halves);
  std::vector<std::byte> memory(8192);
  const Received all = receive({mixed, 1, memory.data(), 32});
  EXPECT_EQ(all.packed, 4);   // 64 blocks of 4 bytes through a stage of 64 bytes
  EXPECT_EQ(all.vectors, 8);  // 8 blocks of 64 bytes, a stage's worth each
}

}  // namespace
}  // namespace heddle::layout::dual_context_test
