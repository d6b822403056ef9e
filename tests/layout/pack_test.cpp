// Compares pack, unpack, ranges, cursors and transfers with bytes gathered one by one along the
// type map, for random types.
#include "layout/pack.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <thread>

#include "layout/cursor.hpp"
#include "layout/shape.hpp"
#include "layout/transfer.hpp"
#include "random_type.hpp"

namespace heddle::layout::pack_test {
namespace {

using test::Choices;
using test::gathered;
using test::Memory;
using test::random_type;
using test::Sample;

/// A byte of memory is described twice. Then unpacking is not defined.
bool overlaps(const Sample& type, Count count) {
  std::vector<Segment> map;
  for (Count i = 0; i < count; ++i)
    for (const Segment& s : type.map) map.push_back({s.offset + i * type.layout.extent(), s.length});
  std::sort(map.begin(), map.end(), [](const Segment& a, const Segment& b) { return a.offset < b.offset; });
  for (std::size_t i = 1; i < map.size(); ++i)
    if (map[i - 1].offset + map[i - 1].length > map[i].offset) return true;
  return false;
}

RC_GTEST_PROP(Pack, EqualsTheTypeMap, (const Choices& choices, std::uint8_t many)) {
  const Sample type = random_type(choices);
  const Count count = many % 4;
  RC_CLASSIFY(type.map.empty(), "empty");
  RC_CLASSIFY(type.map.size() > 20, "over 20 elements");
  RC_CLASSIFY(type.layout.node() && type.layout.node()->depth > 2, "over 2 levels when canonical");
  Memory memory(type, count, 1);
  const auto expected = gathered(type, count, memory.base());
  std::vector<std::byte> packed(expected.size() + 1, std::byte{0xAA});
  pack(type.layout, count, memory.base(), packed.data());
  RC_LOG() << type.text << "\n" << describe(type.layout) << "\n";
  RC_ASSERT(count * type.layout.size() == static_cast<Bytes>(expected.size()));
  RC_ASSERT(packed.back() == std::byte{0xAA});
  packed.pop_back();
  RC_ASSERT(packed == expected);
}

/// Rows of a triangle, and a part that is no nest: a struct with steps of both kinds.
Layout triangle(Count rows) {
  std::vector<Layout> types;
  std::vector<Count> lengths(static_cast<std::size_t>(rows) + 1, 1);
  std::vector<Bytes> at;
  for (Count row = 0; row < rows; ++row) {
    types.push_back(hvector(row + 1, 1, 24, basic(16)));
    at.push_back(row * rows * 24);
  }
  const std::array<Count, 3> three = {3, 0, 7}, ones = {1, 2, 1};
  types.push_back(indexed(ones, three, basic(8)));
  at.push_back(rows * rows * 24);
  return structure(lengths, at, types);
}

TEST(Pack, StructsOfManyNestsByWhoeverComesFirst) {
  for (const Count rows : {1, 7, 60, 150}) {
    const Layout type = triangle(rows);
    std::vector<std::byte> memory(static_cast<std::size_t>(rows * rows * 24 + 100));
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 7 + i / 251);
    std::vector<std::byte> expected;
    for (Cursor cursor(type, 1); !cursor.done();) {
      const Segment s = cursor.next();
      const auto* from = memory.data() + s.offset;
      expected.insert(expected.end(), from, from + s.length);
    }
    std::vector<std::vector<std::byte>> packed(4, std::vector<std::byte>(expected.size()));
    std::vector<std::thread> threads;
    threads.reserve(packed.size());
    for (auto& out : packed) threads.emplace_back([&] { pack(type, 1, memory.data(), out.data()); });
    for (auto& thread : threads) thread.join();
    for (const auto& out : packed) EXPECT_EQ(out, expected) << rows << " rows";
    std::vector<std::byte> back(memory.size()), again(expected.size());
    unpack(type, 1, back.data(), expected.data());
    pack(type, 1, back.data(), again.data());
    EXPECT_EQ(again, expected) << rows << " rows";
  }
}

RC_GTEST_PROP(Unpack, WritesTheTypeMapAndNothingElse, (const Choices& choices, std::uint8_t many)) {
  const Sample type = random_type(choices);
  const Count count = many % 4;
  RC_PRE(!overlaps(type, count));
  Memory memory(type, count, 1);
  Memory target(type, count, 2);
  const auto packed = gathered(type, count, memory.base());
  auto expected = target.bytes();
  const Bytes origin = target.base() - target.bytes().data();
  std::size_t at = 0;
  for (Count i = 0; i < count; ++i) {
    for (const Segment& s : type.map) {
      std::copy_n(&packed[at], s.length, expected.begin() + origin + s.offset + i * type.layout.extent());
      at += static_cast<std::size_t>(s.length);
    }
  }
  unpack(type.layout, count, target.base(), packed.data());
  RC_LOG() << type.text << "\n" << describe(type.layout) << "\n";
  RC_ASSERT(target.bytes() == expected);
}

RC_GTEST_PROP(Pack, RangesInAnyOrderEqualTheWhole,
              (const Choices& choices, std::uint8_t many, const std::vector<std::uint32_t>& cuts)) {
  const Sample type = random_type(choices);
  const Count count = 1 + many % 3;
  Memory memory(type, count, 1);
  const auto expected = gathered(type, count, memory.base());
  std::vector<Bytes> ends{0, static_cast<Bytes>(expected.size())};
  for (const auto cut : cuts) ends.push_back(static_cast<Bytes>(cut % (expected.size() + 1)));
  std::sort(ends.begin(), ends.end());
  std::vector<std::byte> packed(expected.size());
  for (std::size_t i = ends.size() - 1; i > 0; --i) {
    pack_range(type.layout, count, memory.base(), ends[i - 1], ends[i] - ends[i - 1], packed.data() + ends[i - 1]);
  }
  RC_LOG() << type.text << "\n" << describe(type.layout) << "\n";
  RC_ASSERT(packed == expected);
  if (overlaps(type, count)) return;
  Memory target(type, count, 2);
  auto whole = target;
  unpack(type.layout, count, whole.base(), packed.data());
  for (std::size_t i = 1; i < ends.size(); ++i) {
    unpack_range(type.layout, count, target.base(), ends[i - 1], ends[i] - ends[i - 1], packed.data() + ends[i - 1]);
  }
  RC_ASSERT(target.bytes() == whole.bytes());
}

RC_GTEST_PROP(Cursor, WalksTheTypeMapFromAnyOffset, (const Choices& choices, std::uint8_t many, std::uint16_t from)) {
  const Sample type = random_type(choices);
  const Count count = many % 4;
  Memory memory(type, count, 1);
  const auto expected = gathered(type, count, memory.base());
  const auto start = static_cast<Bytes>(from % (expected.size() + 1));
  Cursor cursor(type.layout, count);
  cursor.seek(start);
  std::vector<std::byte> walked;
  std::array<iovec, 5> some{};
  while (const std::size_t n = cursor.segments(memory.base(), some, 77)) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto* piece = static_cast<const std::byte*>(some[i].iov_base);
      walked.insert(walked.end(), piece, piece + some[i].iov_len);
    }
    RC_ASSERT(cursor.tell() == start + static_cast<Bytes>(walked.size()));
  }
  RC_LOG() << type.text << "\n" << describe(type.layout) << "\n";
  RC_ASSERT(cursor.done());
  RC_ASSERT(std::equal(walked.begin(), walked.end(), expected.begin() + start, expected.end()));
}

RC_GTEST_PROP(Transfer, EqualsPackThenUnpack, (const Choices& one, const Choices& two, std::uint8_t many)) {
  const Sample from = random_type(one);
  const Sample to = random_type(two);
  RC_PRE(from.layout.size() > 0 && to.layout.size() > 0);
  // Both sides have the same size: each count is the other side's size over the common divisor.
  const Bytes common = std::gcd(from.layout.size(), to.layout.size());
  const Count from_count = to.layout.size() / common * (1 + many % 2);
  const Count to_count = from.layout.size() / common * (1 + many % 2);
  RC_PRE(from_count * from.layout.node()->blocks < 20000 && to_count * to.layout.node()->blocks < 20000);
  RC_PRE(!overlaps(to, to_count));
  Memory source(from, from_count, 1);
  Memory target(to, to_count, 2);
  Memory expected = target;
  const auto packed = gathered(from, from_count, source.base());
  unpack(to.layout, to_count, expected.base(), packed.data());
  transfer(from.layout, from_count, source.base(), to.layout, to_count, target.base());
  RC_LOG() << from.text << "\n" << to.text << "\n";
  RC_ASSERT(target.bytes() == expected.bytes());
}

RC_GTEST_PROP(Shape, CountsWhatTheCursorSees, (const Choices& choices, std::uint8_t many)) {
  const Sample type = random_type(choices);
  const Count count = many % 4;
  const Shape seen = shape(type.layout, count);
  Cursor cursor(type.layout, count);
  const Ahead all = cursor.ahead(INT64_MAX);
  RC_ASSERT(seen.blocks == all.blocks);
  RC_ASSERT(seen.size == all.bytes);
  RC_ASSERT(seen.smallest_block <= seen.median_block);
  RC_ASSERT(seen.median_block <= seen.largest_block);
}

TEST(Pack, SeveralThreadsOnDisjointRanges) {
  constexpr Count n = 256;
  const Layout matrix = contiguous(n, resized(vector(n, 1, n, basic(8)), 0, 8));
  std::vector<double> from(n * n);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  std::vector<double> to(n * n);
  constexpr Bytes segment = 4099;  // odd on purpose: blocks are cut
  std::vector<std::thread> threads;
  for (Bytes t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (Bytes at = t * segment; at < matrix.size(); at += 4 * segment) {
        const Bytes bytes = std::min(segment, matrix.size() - at);
        pack_range(matrix, 1, from.data(), at, bytes, reinterpret_cast<std::byte*>(to.data()) + at);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(to[i * n + j], from[j * n + i]);
}

TEST(Transfer, TransposesWithoutAPackedCopy) {
  constexpr Count n = 48;
  std::vector<std::array<double, 3>> from(n * n), to(n * n);
  for (std::size_t i = 0; i < from.size(); ++i) from[i].fill(static_cast<double>(i));
  const Layout element = contiguous(3, basic(8));
  const Layout column_major = contiguous(n, resized(vector(n, 1, n, element), 0, 24));
  transfer(column_major, 1, from.data(), resized(vector(n, n, n, element), 0, 24 * n * n), 1, to.data());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(to[i * n + j], from[j * n + i]);
}

// Transfers pieces of 1, 2, 4 ... units to equal pieces, to pieces that are cut elsewhere, and to
// steps.
TEST(Transfer, LongPiecesOfAnyLengths) {
  const auto doubling = [](Bytes unit, int pieces) {
    std::vector<Bytes> offsets;
    std::vector<Count> lengths;
    Bytes at = unit;
    for (int i = 0; i < pieces; at += (Bytes{1} << i++) * unit + unit) {
      offsets.push_back(at);
      lengths.push_back(Count{1} << i);
    }
    return resized(hindexed(lengths, offsets, basic(unit)), 0, at);
  };
  const Layout one = doubling(4, 14);     // 65532 bytes
  const Layout two = doubling(4 * 3, 7);  // 1524 bytes, 43 times
  const Layout rows = vector(43, 1, 2, contiguous(1524, basic(1)));
  const auto whole = [](const Layout& layout, Count count) { return static_cast<std::size_t>(count * layout.extent() + 64); };
  for (const auto& [from, from_count, to, to_count] : {std::tuple{one, Count{1}, one, Count{1}},
                                                       {one, Count{3}, one, Count{3}},
                                                       {two, Count{43}, one, Count{1}},
                                                       {one, Count{1}, two, Count{43}},
                                                       {rows, Count{1}, one, Count{1}},
                                                       {one, Count{1}, rows, Count{1}}}) {
    std::vector<std::uint8_t> source(whole(from, from_count)), wanted(whole(to, to_count), 0xee), target = wanted;
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    std::vector<std::uint8_t> packed(static_cast<std::size_t>(from.size() * from_count));
    ASSERT_EQ(from.size() * from_count, to.size() * to_count);
    pack(from, from_count, source.data(), packed.data());
    unpack(to, to_count, wanted.data(), packed.data());
    transfer(from, from_count, source.data(), to, to_count, target.data());
    EXPECT_EQ(target, wanted);
  }
}

TEST(Pack, OutsideTheMessageIsRefused) {
  const Layout column = vector(8, 1, 8, basic(8));
  std::array<std::byte, 1024> memory{};
  std::array<std::byte, 64> out{};
  EXPECT_THROW(pack_range(column, 1, memory.data(), 60, 8, out.data()), std::out_of_range);
  EXPECT_THROW(pack_range(column, 1, memory.data(), -1, 8, out.data()), std::out_of_range);
  Cursor cursor(column, 1);
  EXPECT_THROW(cursor.seek(65), std::out_of_range);
}

TEST(Look, AheadJudgesWithoutLosingThePlace) {
  const Layout column = vector(1000, 1, 10, basic(8));
  Cursor look(column, 1), pack(column, 1);
  pack.seek(800);
  look.seek(800);
  const Ahead ahead = look.ahead();
  EXPECT_EQ(ahead.blocks, 15);
  EXPECT_EQ(ahead.mean(), 8);
  EXPECT_EQ(look.tell(), 920);
  EXPECT_EQ(pack.tell(), 800);
}

}  // namespace
}  // namespace heddle::layout::pack_test
