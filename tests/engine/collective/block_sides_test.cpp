// Three datatypes of ints: a predefined type, a type with holes (ints 0 and 2 of 4), and a type
// without holes (2 in a row).
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "engine/collective/staged_collective.hpp"
#include "layout/pack.hpp"

namespace heddle::engine::block_sides_test {
namespace {

enum Type { unknown, number, holes, row };

class Known {
 public:
  struct Wire {
    Type element = number;
    Count per = 0;
    Bytes extent = sizeof(int);
  };
  Known(layout::Layout layout, bool is_derived) : derived(is_derived), layout_(std::move(layout)) {
    wire_.per = layout_.size() / wire_.extent;
  }
  [[nodiscard]] const layout::Layout& layout() const { return layout_; }
  [[nodiscard]] Bytes size() const { return layout_.size(); }
  [[nodiscard]] Bytes extent() const { return layout_.extent(); }
  [[nodiscard]] Bytes first_byte() const { return layout_.true_lower_bound(); }
  [[nodiscard]] const Wire& wire() const { return wire_; }
  [[nodiscard]] bool wire_in_memory(Count /*count*/) const { return layout_.dense(); }
  void to_wire(const void* from, Count count, void* wire) const { layout::pack(layout_, count, from, wire); }
  void from_wire(void* to, Count count, const void* wire) const { layout::unpack(layout_, count, to, wire); }
  void retain() const { ++uses; }
  void release() const { --uses; }

  mutable int uses = 0;
  bool derived;

 private:
  layout::Layout layout_;
  Wire wire_;
};

const Known* find(Type type) {
  static const Known one(layout::basic(4), false);
  static const Known two(layout::resized(layout::vector(2, 1, 2, layout::basic(4)), 0, 16), true);
  static const Known three(layout::contiguous(2, layout::basic(4)), true);
  return type == number ? &one : type == holes ? &two : type == row ? &three : nullptr;
}

struct Types {
  using Handle = Type;
  using Entry = Known;
  class Reference {
   public:
    Reference() = default;
    explicit Reference(Type type) : known_(find(type)) {
      if (known_ && !known_->derived) known_ = nullptr;
      if (known_) known_->retain();
    }
    Reference(const Reference&) = delete;
    Reference& operator=(Reference&& other) noexcept {
      std::swap(known_, other.known_);
      return *this;
    }
    ~Reference() {
      if (known_) known_->release();
    }
    explicit operator bool() const { return known_; }
    const Known* operator->() const { return known_; }
    [[nodiscard]] const Known* get() const { return known_; }

   private:
    const Known* known_ = nullptr;
  };
  static const Known* hold_any(Type type) {
    if (const Known* known = find(type)) return known->retain(), known;
    return nullptr;
  }
  static bool known(Type type) { return type == holes || type == row; }
};
using S = Side<Types>;
using B = Blocks<Types>;
using D = Buffer<Type>;
using V = VArgument<Type>;
using W = WArgument<Type>;

class Sides : public testing::Test {
 protected:
  Sides() { std::iota(memory.begin(), memory.end(), 0); }
  ~Sides() override {
    for (const Type type : {number, holes, row}) EXPECT_EQ(find(type)->uses, 0) << type;
  }
  static std::vector<int> at(const void* address, std::size_t count) {
    const int* first = static_cast<const int*>(address);
    return {first, first + count};
  }
  std::array<int, 64> memory{};
};

TEST_F(Sides, OfPredefinedTypesAreHandedOnAsTheyCame) {
  S side("test");
  ASSERT_TRUE(side.prepare({memory.data(), 3, number}, 2));
  EXPECT_FALSE(side.ours());
  EXPECT_EQ(side.address(), memory.data());
  EXPECT_EQ(static_cast<int>(side.count()), 3);
  EXPECT_EQ(side.type(), number);
}

TEST_F(Sides, ThatMayNotBeReadAreHandedOnAsTheyCame) {
  S side("test");
  ASSERT_TRUE(side.prepare({nullptr, -1, holes}, 2, false));
  EXPECT_EQ(side.count().value, -1);
  EXPECT_EQ(side.type(), holes);
  B blocks("test");
  EXPECT_TRUE(blocks.prepare(V{nullptr, {}, {}, holes}, 2, false));
  EXPECT_FALSE(blocks.ours());
}

TEST_F(Sides, WithoutHolesAreNotCopied) {
  S side("test");
  ASSERT_TRUE(side.prepare({memory.data(), 3, row}, 2));
  EXPECT_TRUE(side.ours());
  EXPECT_EQ(side.address(), memory.data());
  EXPECT_EQ(side.count().value, 6);
  EXPECT_EQ(side.type(), number);
}

TEST_F(Sides, WithHolesArePackedBlockByBlock) {
  S side("test");
  ASSERT_TRUE(side.prepare({memory.data(), 2, holes}, 3));
  EXPECT_EQ(side.count().value, 4);
  side.load_but(-1);
  EXPECT_EQ(at(side.address(), 12), (std::vector{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22}));
}

TEST_F(Sides, AreStoredButForTheirHolesAndTheBlockLeftOut) {
  S side("test");
  ASSERT_TRUE(side.prepare({memory.data(), 1, holes}, 3));
  for (int i = 0; i < 6; ++i) static_cast<int*>(side.address())[i] = 100 + i;
  side.store_but(1);
  EXPECT_EQ(at(memory.data(), 12), (std::vector{100, 1, 101, 3, 4, 5, 6, 7, 104, 9, 105, 11}));
}

TEST_F(Sides, BeyondNumbersAreTheLibrarys) {
  S negative("test");
  S large("test");
  EXPECT_FALSE(negative.prepare({memory.data(), -1, holes}, 2));
  EXPECT_FALSE(large.prepare({memory.data(), std::numeric_limits<Count>::max() / 4, holes}, 3));
  const int counts[] = {-1};
  B blocks("test");
  EXPECT_FALSE(blocks.prepare(V{memory.data(), counts, counts, holes}, 1));
  B lacking("test");
  EXPECT_FALSE(lacking.prepare(V{memory.data(), counts, {}, holes}, 1));
}

TEST_F(Sides, MoveARanksBlockToItselfInOnePass) {
  std::array<int, 16> target{};
  S out("test");
  S in("test");
  ASSERT_TRUE(out.prepare({memory.data(), 1, holes}, 2));
  ASSERT_TRUE(in.prepare({target.data(), 1, holes}, 2));
  ASSERT_TRUE(out.move_own_block(1, in, 0));
  EXPECT_EQ(at(target.data(), 4), (std::vector{4, 0, 6, 0}));
  S other("test");
  ASSERT_TRUE(other.prepare({target.data(), 2, holes}, 1));
  EXPECT_FALSE(out.move_own_block(1, other, 0));  // the block has another size
}

TEST_F(Sides, OfVArgumentsLieInRankOrderWhateverTheirDisplacements) {
  const int counts[] = {1, 0, 2};
  const int places[] = {4, 9, 0};
  B blocks("test");
  ASSERT_TRUE(blocks.prepare(V{memory.data(), counts, places, holes}, 3));
  EXPECT_TRUE(blocks.ours());
  blocks.load_but(-1);
  EXPECT_EQ(at(blocks.address(), 6), (std::vector{16, 18, 0, 2, 4, 6}));
  ASSERT_FALSE(blocks.wide_counts() || blocks.wide_places());
  blocks.narrow_unless(false, false);
  EXPECT_EQ(at(static_cast<const int*>(blocks.counts()), 3), (std::vector{2, 0, 4}));
  EXPECT_EQ(at(static_cast<const int*>(blocks.displacements()), 3), (std::vector{0, 2, 2}));
  EXPECT_EQ(blocks.type(), number);
}

TEST_F(Sides, OfVArgumentsWithoutHolesStayWhereTheyAre) {
  const int counts[] = {1, 2};
  const int places[] = {3, 0};
  B blocks("test");
  ASSERT_TRUE(blocks.prepare(V{memory.data(), counts, places, row}, 2));
  EXPECT_EQ(blocks.address(), memory.data());
  blocks.narrow_unless(false, false);
  EXPECT_EQ(at(static_cast<const int*>(blocks.counts()), 2), (std::vector{2, 4}));
  EXPECT_EQ(at(static_cast<const int*>(blocks.displacements()), 2), (std::vector{6, 0}));
}

TEST_F(Sides, OfVArgumentsBeyondIntStayLarge) {
  const Count counts[] = {Count{1} << 31};
  const Count places[] = {0};
  B blocks("test");
  ASSERT_TRUE(blocks.prepare(V{memory.data(), counts, places, row}, 1));
  EXPECT_TRUE(blocks.wide_counts());
  EXPECT_FALSE(blocks.wide_places());
}

TEST_F(Sides, OfWArgumentsAreAllStagedIfOneIs) {
  const int counts[] = {1, 2, 0};
  const int places[] = {0, 64, 0};
  const Type types[] = {holes, number, unknown};
  B blocks("test");
  ASSERT_TRUE(blocks.prepare(W{memory.data(), counts, places, types}, 3));
  blocks.load_but(-1);
  EXPECT_EQ(at(blocks.address(), 2), (std::vector{0, 2}));
  EXPECT_EQ(at(static_cast<int*>(blocks.address()) + 4, 2), (std::vector{16, 17}));  // aligned
  blocks.narrow_unless(false, false);
  EXPECT_EQ(at(static_cast<const int*>(blocks.counts()), 3), (std::vector{2, 2, 0}));
  EXPECT_EQ(blocks.types()[0], number);
  static_cast<int*>(blocks.address())[1] = 99;
  blocks.store_but(1);
  EXPECT_EQ(memory[1], 1);
  EXPECT_EQ(memory[2], 99);
}

TEST_F(Sides, OfWArgumentsOfUnknownContentsAreTheLibrarys) {
  const int counts[] = {1, 1};
  const int places[] = {0, 64};
  const Type types[] = {holes, unknown};
  B blocks("test");
  EXPECT_FALSE(blocks.prepare(W{memory.data(), counts, places, types}, 2));
}

TEST_F(Sides, LeaveTheBlockThatARankSendsToItselfOutOfWhatTheLibraryGets) {
  const int counts[] = {1, 1};
  const int places[] = {0, 1};
  const int same[] = {2, 2};
  std::array<int, 16> target{};
  B out("test");
  B in("test");
  ASSERT_TRUE(out.prepare(V{memory.data(), counts, places, holes}, 2));
  ASSERT_TRUE(in.prepare(V{target.data(), same, counts, number}, 2));
  EXPECT_FALSE(out.move_own_block(1, in, 2));
  ASSERT_TRUE(out.move_own_block(1, in, 0));
  EXPECT_EQ(at(target.data(), 4), (std::vector{0, 4, 6, 0}));
  EXPECT_EQ(out.counts().at(1), 0);
  EXPECT_EQ(out.counts().at(0), 2);
  EXPECT_EQ(in.counts().at(0), 0);
}

TEST_F(Sides, OfAStagedCollectiveAreLoadedAndStoredAsItSays) {
  Staged<S, S> op("test");
  ASSERT_TRUE(op.prepare(D{memory.data(), 1, number}, 1, true, D{memory.data(), 1, holes}, 4, true));
  op.sends = false;
  op.contributes = op.but = 2;
  op.absent[3] = true;
  op.settle_numbers();
  EXPECT_FALSE(op.wide);
  for (int i = 0; i < 8; ++i) static_cast<int*>(op.in.address())[i] = 100 + i;
  op.load();
  EXPECT_EQ(at(op.in.address(), 8), (std::vector{100, 101, 102, 103, 8, 10, 106, 107}));
  op.store();
  EXPECT_EQ(memory[0], 100);
  EXPECT_EQ(memory[6], 103);
  EXPECT_EQ(memory[8], 8);    // its own block
  EXPECT_EQ(memory[12], 12);  // no rank fills it
}

TEST_F(Sides, OfAStagedCollectiveThatAreNotOursAreTheLibrarys) {
  Staged<S, S> op("test");
  EXPECT_FALSE(op.prepare(D{memory.data(), 1, number}, 1, true, D{memory.data(), 1, number}, 4, true));
}

TEST_F(Sides, AreWideIfOneOfThemIs) {
  const Count counts[] = {Count{1} << 31};
  const Count places[] = {0};
  Staged<S, B> op("test");
  ASSERT_TRUE(op.prepare(D{memory.data(), 1, row}, 1, true, V{memory.data(), counts, places, row}, 1, true));
  op.settle_numbers();
  EXPECT_TRUE(op.wide);
  EXPECT_EQ(static_cast<const Count*>(op.in.counts())[0], Count{1} << 32);
}

}  // namespace
}  // namespace heddle::engine::block_sides_test
