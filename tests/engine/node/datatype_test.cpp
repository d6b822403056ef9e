#include "engine/node/datatype.hpp"

#include <gtest/gtest.h>

#include "mail.hpp"

namespace heddle::engine::test::datatype_test {
namespace {

using layout::basic;
using layout::Layout;

Layout column() { return layout::vector(4, 1, 16, basic(4)); }

TEST(Datatype, KnowsWhereItsPackedStreamBegins) {
  const Layout shifted =
      layout::resized(layout::hindexed(std::vector<Count>{2, 1}, std::vector<Bytes>{24, 0}, basic(4)), 0, 64);
  const Datatype type(shifted);
  EXPECT_EQ(type.size(), 12);
  EXPECT_EQ(type.extent(), 64);
  EXPECT_EQ(type.first_byte(), 24);
  EXPECT_EQ(type.first_piece(), 8);
}

TEST(Datatype, OfOneBlockIsContiguousOnce) {
  const Datatype padded(layout::resized(basic(4), 0, 16));
  EXPECT_TRUE(padded.contiguous(1));
  EXPECT_FALSE(padded.contiguous(2));
  EXPECT_TRUE(Datatype(basic(4)).contiguous(1000));
  EXPECT_FALSE(Datatype(column()).contiguous(1));
}

TEST(Datatype, OfNoBytesIsAlwaysHandedOnPacked) {
  const Datatype nothing(layout::contiguous(0, basic(4)));
  EXPECT_TRUE(nothing.contiguous(1));
  EXPECT_TRUE(nothing.pays_to_pack(1));
  EXPECT_FALSE(nothing.pays_to_pack(0));
}

TEST(Datatype, PaysToPackAsItsLayoutDoes) {
  const select::Message several{.several = true, .wanted = settings::Messages::packed};
  const Datatype type(column(), several);
  EXPECT_EQ(type.pays_to_pack(3), type.size() * 3 >= select::packs_from(type.layout(), several));
  EXPECT_FALSE(Datatype(basic(4)).pays_to_pack(100)) << "without holes";
  EXPECT_FALSE(type.pays_to_pack(std::numeric_limits<Count>::max())) << "more bytes than can be counted";
}

TEST(Datatype, IsMeasuredOnce) {
  const Datatype type(column());
  const select::Statistics* const statistics = type.statistics();
  ASSERT_NE(statistics, nullptr);
  EXPECT_EQ(type.statistics(), statistics);
  EXPECT_EQ(statistics->of(1).blocks, 4);
}

TEST(Datatype, IsListedOnceAndStruckWhenItGoes) {
  constexpr Bytes size = Bytes{1} << 20;
  Memory memory(size);
  Arena arena(memory.base(), size);
  std::mutex lock;
  DatatypeCache cache(arena, lock);
  Listed first;
  {
    const Datatype type(column());
    first = type.listed(cache);
    EXPECT_GT(first.wire_bytes, 0U);
    EXPECT_EQ(type.listed(cache).id, first.id);
    EXPECT_NE(Datatype(column()).listed(cache).id, first.id);
  }
  const Datatype next(column());
  EXPECT_NE(next.listed(cache).version, first.version) << "its id is used again, with the next version";
}

}  // namespace
}  // namespace heddle::engine::test::datatype_test
