#include "layout/wire_form.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace heddle::layout::wire_form_test {
namespace {

enum class Basic { none, byte, value, index, both };

const Pair<Basic>& pair() {
  static const auto two = pair_in_c<double>(Basic::both, Basic::value, Basic::index);
  return two;
}
const Pair<Basic>* pair_of(Basic first, Basic second) {
  return first == Basic::value && second == Basic::index ? &pair() : nullptr;
}

WireForm<Basic> form_of(const Layout& layout, const Signature<Basic>& signature) {
  return wire_form(layout, signature, Basic::byte, pair_of);
}

TEST(WireForm, OfOneBasicTypeIsElementsOfIt) {
  const Layout column = vector(4, 1, 2, basic(8));
  const auto wire = form_of(column, repeated(one(Basic::value, 8), 4));
  EXPECT_EQ(wire.element, Basic::value);
  EXPECT_EQ(wire.per, 4);
  EXPECT_EQ(wire.extent, 8);
  EXPECT_FALSE(wire.in_memory(1)) << "it has holes";
}

TEST(WireForm, OfMixedTypesIsBytes) {
  const std::array<Count, 2> lengths = {1, 2};
  const std::array<Bytes, 2> at = {0, 8};
  const std::array<Layout, 2> members = {basic(8), basic(4)};
  const auto signature = then(one(Basic::value, 8), repeated(one(Basic::index, 4), 2));
  const auto wire = form_of(structure(lengths, at, members), signature);
  EXPECT_EQ(wire.element, Basic::byte);
  EXPECT_EQ(wire.per, 16);
  EXPECT_TRUE(wire.in_memory(3)) << "it has none";
}

TEST(WireForm, OfAValueAndAnIndexIsThePairType) {
  const Layout two = contiguous(2, pair().layout());
  const auto wire = form_of(two, repeated(pair().signature(), 2));
  EXPECT_EQ(wire.element, Basic::both);
  EXPECT_EQ(wire.per, 2);
  EXPECT_EQ(wire.extent, 16);
  EXPECT_TRUE(wire.in_memory(5)) << "the holes of the pair type are where the wire wants them";
}

TEST(WireForm, OfSpacedElementsIsInMemoryOnlyOnce) {
  const auto spaced = form_of(resized(contiguous(2, basic(8)), 0, 64), repeated(one(Basic::value, 8), 2));
  EXPECT_TRUE(spaced.in_memory(1));
  EXPECT_FALSE(spaced.in_memory(2));
  const auto pairs = form_of(resized(pair().layout(), 0, 64), pair().signature());
  EXPECT_TRUE(pairs.in_memory(1));
  EXPECT_FALSE(pairs.in_memory(2));
}

TEST(WireForm, OfNothingIsNoBytes) {
  const auto wire = form_of(contiguous(0, basic(8)), {});
  EXPECT_EQ(wire.element, Basic::byte);
  EXPECT_EQ(wire.per, 0);
  EXPECT_TRUE(wire.in_memory(1));
}

TEST(WireForm, PairsThatLieApartArePackedWithTheirHolesAndComeBack) {
  const Layout spaced = resized(pair().layout(), 0, 24);
  const auto wire = form_of(spaced, pair().signature());
  std::vector<std::byte> memory(72), packed(48, std::byte{0xee}), back(72);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i + 1);
  wire.pack(spaced, memory.data(), 3, packed.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::memcmp(&packed[16 * i], &memory[24 * i], 12), 0) << i;
  EXPECT_EQ(packed[12], std::byte{0xee}) << "a hole of the wire is nobody's";
  wire.unpack(spaced, back.data(), 3, packed.data());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::memcmp(&back[24 * i], &memory[24 * i], 12), 0) << i;
  EXPECT_EQ(back[12], std::byte{0});
}

}  // namespace
}  // namespace heddle::layout::wire_form_test
