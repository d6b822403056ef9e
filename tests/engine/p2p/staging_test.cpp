#include "engine/p2p/staging.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace heddle::engine::staging_test {
namespace {

using layout::basic;
using End = Staging::End;

class StagingTest : public testing::Test {
 protected:
  StagingTest() { std::iota(memory.begin(), memory.end(), 0); }

  [[nodiscard]] Staging::Elements of(const Datatype& type, Count count = 1) {
    return {.type = &type, .count = count, .address = memory.data()};
  }
  [[nodiscard]] static std::vector<int> ints(const Staging& staging) {
    const auto* const first = reinterpret_cast<const int*>(staging.address());
    return {first, first + staging.bytes() / Bytes{sizeof(int)}};
  }

  const Datatype column{layout::vector(64, 1, 4, basic(4)), {.wanted = settings::Messages::packed}};
  const Datatype piece{layout::contiguous(64, basic(4)), {.wanted = settings::Messages::packed}};
  std::vector<int> memory = std::vector<int>(256);
};

TEST_F(StagingTest, WhatIsSentIsPackedAsideAndComesBack) {
  Staging staging;
  staging.open(of(column), End::sending, false);
  ASSERT_TRUE(staging.apart());
  staging.pack(nullptr);
  EXPECT_EQ(ints(staging)[3], 12);
  std::fill(memory.begin(), memory.end(), -1);
  staging.unpack(staging.bytes());
  EXPECT_EQ(memory[12], 12);
  EXPECT_EQ(memory[13], -1) << "a hole";
}

TEST_F(StagingTest, LessThanThereIsRoomForIsPutInPlaceAsFarAsItGoes) {
  Staging staging;
  staging.open(of(column), End::receiving, true);
  staging.pack(nullptr);
  std::fill(memory.begin(), memory.end(), -1);
  staging.unpack(8);
  EXPECT_EQ(memory[4], 4);
  EXPECT_EQ(memory[8], -1);
}

TEST_F(StagingTest, WhatHasNoHolesIsReceivedWhereItBelongs) {
  Staging sent;
  sent.open(of(piece), End::sending, false);
  EXPECT_EQ(sent.address(), nullptr) << "nothing is to be packed";
  Staging landing;
  landing.open(of(piece), End::receiving, true);
  EXPECT_EQ(landing.address(), reinterpret_cast<std::byte*>(memory.data())) << "a descriptor may land there";
  EXPECT_FALSE(landing.apart());
}

TEST_F(StagingTest, ACopyIsOneWhateverItCosts) {
  Staging copy;
  copy.open(of(piece), End::copying, false);
  ASSERT_TRUE(copy.apart());
  copy.pack(nullptr);
  memory[5] = -1;
  EXPECT_EQ(ints(copy)[5], 5);
}

TEST_F(StagingTest, AReceiveWithoutRoomForADescriptorIsLeftAlone) {
  const Datatype few(layout::contiguous(31, basic(4)));
  const Datatype enough(layout::contiguous(32, basic(4)));
  Staging none;
  none.open(of(few), End::receiving, true);
  EXPECT_EQ(none.address(), nullptr);
  EXPECT_FALSE(none.lacks_memory());
  Staging some;
  some.open(of(enough), End::receiving, true);
  EXPECT_NE(some.address(), nullptr);
  Staging elsewhere;
  elsewhere.open(of(enough), End::receiving, false);
  EXPECT_EQ(elsewhere.address(), nullptr) << "none comes";
}

TEST_F(StagingTest, NoBytesHaveAPlace) {
  const Datatype nothing(layout::contiguous(0, basic(4)));
  Staging staging;
  staging.open(of(nothing), End::sending, false);
  EXPECT_NE(staging.address(), nullptr);
  EXPECT_EQ(staging.bytes(), 0);
  EXPECT_FALSE(staging.apart());
}

TEST_F(StagingTest, MoreThanThereIsMemoryForIsSaidWhereItMustGoThere) {
  const Count count = std::numeric_limits<Count>::max() / column.size();
  Staging sent;
  sent.open(of(column, count), End::sending, false);
  EXPECT_EQ(sent.address(), nullptr);
  EXPECT_FALSE(sent.lacks_memory()) << "the MPI library packs it";
  Staging received;
  received.open(of(column, count), End::receiving, true);
  EXPECT_TRUE(received.lacks_memory());
  Staging beyond;
  beyond.open(of(column, std::numeric_limits<Count>::max()), End::receiving, true);
  EXPECT_EQ(beyond.address(), nullptr) << "more bytes than can be counted";
}

TEST_F(StagingTest, RoomForWhatTheHostPacks) {
  Staging staging;
  staging.reserve(1 << 16);
  EXPECT_TRUE(staging.apart());
  EXPECT_EQ(staging.bytes(), 1 << 16);
  Staging none;
  none.refuse();
  EXPECT_TRUE(none.lacks_memory());
}

TEST_F(StagingTest, ItSaysWhyItIsNoRendezvous) {
  EXPECT_EQ(Staging::why_packed(nullptr, 100), "no memory is shared with other ranks of this node");
}

}  // namespace
}  // namespace heddle::engine::staging_test
