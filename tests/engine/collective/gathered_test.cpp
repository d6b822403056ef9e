// Types are numbers here. Type n has n bytes without holes. Type 100 + n has n bytes and a hole of
// n bytes behind them. Type 0 is refused.
#include "engine/collective/gathered.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace heddle::engine::gathered_test {
namespace {

struct Known {
  struct Measures {
    layout::Bytes size = 0, extent = 0;
  };
  int look(int type) {
    const bool holes = type > 100;
    const int size = holes ? type - 100 : type;
    found = {size, holes ? 2 * size : size};
    return type > 0 ? 0 : 7;
  }
  [[nodiscard]] const Measures& measures() const { return found; }
  [[nodiscard]] std::byte* dense(const void* address, layout::Count count) const {
    const bool one_piece = found.size == found.extent || count <= 1;
    return one_piece ? static_cast<std::byte*>(const_cast<void*>(address)) : nullptr;
  }
  int pack(const void* address, layout::Count count, std::byte* to, int error) const {
    for (layout::Count i = 0; i < count; ++i)
      std::memcpy(to + i * found.size, static_cast<const std::byte*>(address) + i * found.extent,
                  static_cast<std::size_t>(found.size));
    return error;
  }
  int unpack(const std::byte* from, void* address, layout::Count count, int error) const {
    for (layout::Count i = 0; i < count; ++i)
      std::memcpy(static_cast<std::byte*>(address) + i * found.extent, from + i * found.size,
                  static_cast<std::size_t>(found.size));
    return error;
  }
  Measures found;
};
using G = Gathered<int, Known, int>;
using D = Buffer<int>;
using V = VArgument<int>;
constexpr G::Errors errors{.no_memory = 1, .truncated = 2};

class GatheredBlocks : public testing::Test {
 protected:
  GatheredBlocks() { std::iota(mine.begin(), mine.end(), 1); }
  std::array<unsigned char, 8> mine{};
  std::array<unsigned char, 32> all{};
};

TEST_F(GatheredBlocks, ThatLieInRankOrderStayInTheProgramsBuffer) {
  const int counts[] = {2, 0, 3};
  const int places[] = {1, 9, 3};
  const V receive{all.data(), counts, places, 1};
  G blocks(3, 2, errors);
  ASSERT_TRUE(blocks && blocks.measure(D{mine.data(), 3, 1}, receive, false));
  EXPECT_EQ(std::vector(blocks.starts(), blocks.starts() + 4), (std::vector<layout::Bytes>{0, 2, 2, 5}));
  ASSERT_EQ(blocks.begin(D{mine.data(), 3, 1}, 0), 0);
  EXPECT_EQ(static_cast<void*>(blocks.memory()), all.data() + 1);
  EXPECT_EQ(all[3], 1);
  EXPECT_EQ(all[5], 3);
  EXPECT_EQ(blocks.end(0), 0);
}

TEST_F(GatheredBlocks, InAnotherOrderAreStaged) {
  const int counts[] = {2, 3};
  const int places[] = {3, 0};
  const V receive{all.data(), counts, places, 1};
  G blocks(2, 0, errors);
  ASSERT_TRUE(blocks.measure(D{mine.data(), 2, 1}, receive, false));
  ASSERT_EQ(blocks.begin(D{mine.data(), 2, 1}, 0), 0);
  for (int i = 0; i < 3; ++i) blocks.memory()[2 + i] = std::byte{static_cast<unsigned char>(11 + i)};
  ASSERT_EQ(blocks.end(0), 0);
  EXPECT_EQ(std::vector(all.begin(), all.begin() + 6), (std::vector<unsigned char>{11, 12, 13, 1, 2, 0}));
}

TEST_F(GatheredBlocks, WithHolesAreStagedAndTheirHolesStay) {
  const int counts[] = {1, 2};
  const int places[] = {0, 1};
  const V receive{all.data(), counts, places, 102};
  all.fill(255);
  G blocks(2, 1, errors);
  ASSERT_TRUE(blocks.measure(D{mine.data(), 4, 1}, receive, false));
  ASSERT_EQ(blocks.begin(D{mine.data(), 4, 1}, 0), 0);
  blocks.memory()[0] = blocks.memory()[1] = std::byte{9};
  ASSERT_EQ(blocks.end(0), 0);
  EXPECT_EQ(std::vector(all.begin(), all.begin() + 12),
            (std::vector<unsigned char>{9, 9, 255, 255, 1, 2, 255, 255, 3, 4, 255, 255}));
}

TEST_F(GatheredBlocks, InPlaceTakeThisRanksFromItsPlaceAndLeaveItThere) {
  const int counts[] = {1, 1};
  const int places[] = {1, 0};
  const V receive{all.data(), counts, places, 2};
  all[0] = 5;
  all[1] = 6;
  G blocks(2, 1, errors);
  ASSERT_TRUE(blocks.measure(D{nullptr, -1, 0}, receive, true));
  ASSERT_EQ(blocks.begin(D{nullptr, -1, 0}, 0), 0);
  EXPECT_EQ(blocks.memory()[2], std::byte{5});
  blocks.memory()[0] = std::byte{8};
  blocks.memory()[2] = std::byte{99};
  ASSERT_EQ(blocks.end(0), 0);
  EXPECT_EQ(all[0], 5);
  EXPECT_EQ(all[2], 8);
}

TEST_F(GatheredBlocks, OfWhoSendsMoreThanTheOthersExpectAreCut) {
  const int counts[] = {1, 2};
  const int places[] = {0, 1};
  const V receive{all.data(), counts, places, 2};
  G blocks(2, 1, errors);
  ASSERT_TRUE(blocks.measure(D{mine.data(), 7, 1}, receive, false));
  ASSERT_EQ(blocks.begin(D{mine.data(), 7, 1}, 0), 0);
  EXPECT_EQ(all[5], 4);
  EXPECT_EQ(all[6], 0);
  EXPECT_EQ(blocks.end(0), errors.truncated);
  G silent(2, 1, {1, 0});
  ASSERT_TRUE(silent.measure(D{mine.data(), 7, 1}, receive, false));
  ASSERT_EQ(silent.begin(D{mine.data(), 7, 1}, 0), 0);
  EXPECT_EQ(silent.end(0), 0);
}

TEST_F(GatheredBlocks, OfNumbersThatNoBufferHasAreRefused) {
  constexpr layout::Count large[] = {std::numeric_limits<layout::Count>::max() / 2, std::numeric_limits<layout::Count>::max()};
  const int negative[] = {-1, 0};
  const int places[] = {0, 1};
  const D send{mine.data(), 1, 1};
  const D unknown{mine.data(), 1, 0};
  const V sums{all.data(), large, places, 1};
  const V below{all.data(), negative, places, 1};
  const V sound{all.data(), places, places, 1};
  const V refused{all.data(), places, places, 0};
  G first(2, 0, errors);
  G second(2, 0, errors);
  G third(2, 0, errors);
  G fourth(2, 0, errors);
  EXPECT_FALSE(first.measure(send, sums, false));
  EXPECT_FALSE(second.measure(send, below, false));
  EXPECT_FALSE(third.measure(unknown, sound, false));
  EXPECT_FALSE(fourth.measure(send, refused, false));
}

TEST_F(GatheredBlocks, ThatTheLibraryCannotPackSayWhatItSaid) {
  const int counts[] = {2, 3};
  const int places[] = {3, 0};
  const V receive{all.data(), counts, places, 1};
  G blocks(2, 0, errors);
  ASSERT_TRUE(blocks.measure(D{mine.data(), 2, 1}, receive, false));
  EXPECT_EQ(blocks.begin(D{mine.data(), 2, 1}, 42), 42);
  EXPECT_EQ(blocks.end(43), 43);
}

}  // namespace
}  // namespace heddle::engine::gathered_test
