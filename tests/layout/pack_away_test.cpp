// pack_away() packs the same bytes as pack_range(), and touches nothing else.
#include "layout/pack_away.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "layout/pack.hpp"

namespace heddle::layout::pack_away_test {
namespace {

TEST(PackAway, IsPackRange) {
  // One block is long, and the other 20 are short.
  std::vector<Count> lengths(21, 300);
  std::vector<Bytes> offsets;
  lengths[9] = 20001;
  for (Bytes at = 5; const Count length : lengths) offsets.push_back(std::exchange(at, at + length + 11));
  const Layout column = resized(vector(64, 1, 64, contiguous(3, basic(8))), 0, 24);
  for (const auto& [layout, count] : {std::pair{vector(3000, 5, 9, basic(4)), Count{2}},
                                      {column, Count{64}},
                                      {vector(5, 20000, 30000, basic(1)), Count{1}},
                                      {hindexed(lengths, offsets, basic(1)), Count{1}},
                                      {resized(hindexed(lengths, offsets, basic(1)), 0, 40000), Count{3}},
                                      {contiguous(0, basic(4)), Count{3}}}) {
    std::vector<std::uint8_t> memory(static_cast<std::size_t>((count + 1) * std::max(layout.extent(), layout.true_extent())) +
                                     1);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    const Bytes total = layout.size() * count;
    for (const Bytes from : {Bytes{0}, total / 3, total})
      for (const Bytes length : {Bytes{0}, Bytes{1}, Bytes{1023}, Bytes{1024}, Bytes{16384}, Bytes{16385}, total - from}) {
        if (from + length > total) continue;
        std::vector<std::uint8_t> expected(static_cast<std::size_t>(length) + 64, 0xee);
        pack_range(layout, count, memory.data(), from, length, expected.data());
        for (const Stores stores : {Stores::cached, Stores::streamed})
          for (const Bytes off : {Bytes{0}, Bytes{5}}) {  // of a line
            std::vector<std::uint8_t> away(expected.size() + 64, 0xee), copied = away;
            pack_away(layout, count, memory.data(), from, length, away.data() + off, stores);
            copy_away(expected.data(), length, copied.data() + off, stores);
            EXPECT_EQ(copied, away) << from << " + " << length;
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), away.begin() + off)) << from << " + " << length;
            EXPECT_EQ(std::count(away.begin(), away.begin() + off, 0xee), off);
          }
      }
  }
}

TEST(PackAway, IsPackRangeByEachWayOfATrial) {
  const auto packs_the_same = [] {
    for (const Count block : {8, 64, 200, 1000, 3000})
      for (const Bytes length : {Bytes{2000}, Bytes{9000}, Bytes{40000}, Bytes{90000}}) {
        const Layout layout = vector(100000 / block, block, 2 * block, basic(1));
        std::vector<std::uint8_t> memory(static_cast<std::size_t>(layout.extent()));
        for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
        std::vector<std::uint8_t> expected(static_cast<std::size_t>(length)), away(expected.size());
        pack_range(layout, 1, memory.data(), 100, length, expected.data());
        for (int call = 0; call < 20; ++call) {
          std::fill(away.begin(), away.end(), std::uint8_t{0xee});
          pack_away(layout, 1, memory.data(), 100, length, away.data());
          ASSERT_EQ(away, expected) << "blocks of " << block << ", call " << call;
        }
      }
  };
  packs_the_same();
  try_ways_of_packing_away(false);
  packs_the_same();
  try_ways_of_packing_away(true);
}

}  // namespace
}  // namespace heddle::layout::pack_away_test
