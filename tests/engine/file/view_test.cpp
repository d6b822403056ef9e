// Seeking in views, compared with the bytes of each view in order.
#include "engine/file/view.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "layout/grammar.hpp"
#include "layout/type_map.hpp"

namespace heddle::engine::files::view_test {
namespace {

View view(const char* text, Bytes displacement) { return {layout::grammar::parse(text)->layout, displacement}; }

/// The offset in the file of each byte of the first tiles.
std::vector<Bytes> offsets(const char* text, Bytes displacement, Count tiles) {
  std::vector<Bytes> all;
  for (const layout::Entry& entry : layout::type_map(*layout::grammar::parse(text), tiles, 10000).entries)
    for (Bytes byte = 0; byte < entry.length; ++byte) all.push_back(displacement + entry.offset + byte);
  return all;
}

constexpr const char* texts[] = {
    "char",
    "double",
    "vector(3, 2, 5, int)",
    "resized(vector(3, 2, 5, int), 0, 60)",
    "subarray([4, 6, 5], [2, 3, 2], [1, 2, 3], double)",
    "subarray([4, 6], [4, 1], [0, 5], int)",
    "darray(3, 1, [4, 14], [none, cyclic(2)], [1, 3], int)",
    "resized(hindexed([1, 3, 2], [8, 16, 40], int), 0, 64)",
    "resized(hindexed([2, 2, 2], [0, 24, 80], vector(2, 1, 2, char)), 0, 90)",
    "resized(struct([1, 2, 1], [4, 16, 64], [char, double, vector(2, 1, 3, int)]), 0, 100)",
    "resized(indexed_block(2, [0:1000:10], char), 0, 1000)",
};

}  // namespace

TEST(View, SeeksTheBytesThatItsTypeMapHas) {
  for (const char* const text : texts) {
    const layout::Layout tile = layout::grammar::parse(text)->layout;
    if (tile.lower_bound() != 0) {
      EXPECT_FALSE(View::fits(tile)) << text;
      continue;
    }
    ASSERT_TRUE(View::fits(tile)) << text;
    const View sought = view(text, 7);
    const std::vector<Bytes> all = offsets(text, 7, 3);
    Bytes next = 0;  // an offset in the file
    for (std::size_t at = 0; at < all.size(); ++at) {
      ASSERT_EQ(sought.place(static_cast<Bytes>(at)), all[at]) << text;
      for (; next <= all[at]; ++next) ASSERT_EQ(sought.before(next), static_cast<Bytes>(at)) << text << ", offset " << next;
    }
  }
}

TEST(View, FitsIfItsBytesAreInOrderWithinTheExtent) {
  for (const char* const text :
       {"hindexed([1, 1], [8, 0], int)", "resized(hindexed([1, 1], [0, 2], int), 0, 8)", "resized(vector(4, 1, 2, int), 0, 8)",
        "hvector(3, 1, -8, int)", "resized(int, -4, 12)", "hvector(2, 2, 4, int)", "contiguous(0, int)",
        "hindexed([1], [4], int)", "struct([2, 1], [0, 4], [int, double])",
        "resized(hvector(2, 1, 8, vector(2, 1, 3, int)), 0, 40)"})
    EXPECT_FALSE(View::fits(layout::grammar::parse(text)->layout)) << text;
}

TEST(View, StoresAndLoadsAnyRangeOfItsStream) {
  for (const char* const text : texts) {
    if (!View::fits(layout::grammar::parse(text)->layout)) continue;
    constexpr Bytes displacement = 1000;
    const View shown = view(text, displacement);
    const std::vector<Bytes> all = offsets(text, displacement, 3);
    const auto total = static_cast<Bytes>(all.size());
    std::vector<std::byte> stream(all.size());
    for (std::size_t i = 0; i < stream.size(); ++i) stream[i] = static_cast<std::byte>(1 + i % 250);
    for (Bytes from = 0; from < total; from += 1 + total / 13)
      for (Bytes length = 1; from + length <= total; length += 1 + total / 7) {
        const Bytes low = shown.place(from), high = shown.end(from, length);
        std::vector<std::byte> piece(static_cast<std::size_t>(high - low)), expected(piece),
            back(static_cast<std::size_t>(length));
        for (Bytes at = from; at < from + length; ++at)
          expected[static_cast<std::size_t>(all[static_cast<std::size_t>(at)] - low)] = stream[static_cast<std::size_t>(at)];
        shown.store(from, length, stream.data() + from, piece.data(), low);
        ASSERT_TRUE(piece == expected) << text << ", " << length << " bytes from " << from;
        shown.load(from, length, piece.data(), low, back.data());
        ASSERT_TRUE(std::equal(back.begin(), back.end(), stream.begin() + from)) << text;
      }
  }
}

TEST(View, ReachesNoFurtherThanItsSums) {
  const View far = view("resized(char, 0, 1048576)", 0);
  EXPECT_TRUE(far.reaches(0, 1000));
  EXPECT_FALSE(far.reaches(Bytes{1} << 42, 1));
  EXPECT_FALSE(far.reaches(-1, 1));
}

}  // namespace heddle::engine::files::view_test
