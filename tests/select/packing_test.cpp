// The size from which a message is packed: the header's table as claims.
#include "select/packing.hpp"

#include <gtest/gtest.h>

#include <array>

namespace heddle::select::packing_test {
namespace {

using layout::basic;
using layout::Layout;
using settings::Messages;

constexpr Bytes always = 0;

Layout rows(Bytes block, Bytes stride) { return layout::hvector(100, 1, stride, basic(block)); }
/// A column of a matrix of 64 columns, one element apart from the next.
Layout columns(Bytes element) { return layout::resized(rows(element, 64 * element), 0, element); }
Layout listed(Bytes block) {
  const std::array<Bytes, 5> places = {0, 3 * block, 8 * block, 10 * block, 19 * block};
  return layout::hindexed_block(1, places, basic(block));
}
Layout fields() {
  const std::array<layout::Count, 2> lengths = {1, 1};
  const std::array<Bytes, 2> places = {0, 8};
  return layout::structure(lengths, places, std::array{basic(4), basic(8)});
}
/// Numbers of 8 bytes, some of them misaligned by 4 bytes.
Layout misplaced() {
  const std::array<Bytes, 4> places = {0, 8, 20, 28};
  return layout::hindexed_block(1, places, basic(8));
}

struct Case {
  const char* what;
  Layout layout;
  Message message;
  Bytes from_with_mpich;
  Bytes from_with_openmpi;
};

const std::array<Case, 19> cases = {{
    {"nothing", Layout(), {}, never_packed, never_packed},
    {"no holes", layout::contiguous(100, basic(8)), {.several = true}, never_packed, never_packed},
    {"one piece", layout::resized(basic(8), 0, 16), {}, never_packed, never_packed},
    {"several pieces", layout::resized(basic(8), 0, 16), {.several = true}, always, never_packed},
    {"rows of 64 B", rows(64, 128), {}, always, never_packed},
    {"a vector of 64 B", rows(64, 128), {.is_vector = true}, 8 << 10, never_packed},
    {"several vectors of 64 B", rows(64, 128), {.several = true, .is_vector = true}, always, never_packed},
    {"rows of 4 KiB", rows(4096, 8192), {}, never_packed, never_packed},
    {"a list of 8 B", listed(8), {}, always, always},
    {"a list of 64 B", listed(64), {}, always, never_packed},
    {"a list of 4 KiB", listed(4096), {}, never_packed, never_packed},
    {"small fields", fields(), {}, always, always},
    {"a transpose of 8 B", columns(8), {.several = true}, always, 128 << 10},
    {"a transpose of 24 B", columns(24), {.several = true}, always, 2 << 20},
    {"a transpose of 128 B", columns(128), {.several = true}, always, never_packed},
    {"numbers off their multiples", misplaced(), {.largest_number = 8}, always, always},
    {"a stride off them", layout::resized(rows(64, 128), 0, 12'804), {.several = true, .largest_number = 8}, always, always},
    {"as set: native", listed(8), {.wanted = Messages::native}, never_packed, never_packed},
    {"as set: packed", rows(64, 128), {.wanted = Messages::packed}, always, always},
}};

TEST(Packing, BySizeLayoutAndHost) {
  for (const Case& each : cases) {
    Message message = each.message;
    EXPECT_EQ(packs_from(each.layout, message), each.from_with_mpich) << each.what;
    message.host_packs_while_it_sends = true;
    EXPECT_EQ(packs_from(each.layout, message), each.from_with_openmpi) << each.what;
  }
}

TEST(Packing, WhatHasNoHolesIsNotPackedThoughItIsSet) {
  const Layout dense = layout::contiguous(100, basic(8));
  EXPECT_EQ(packs_from(dense, {.several = true, .wanted = Messages::packed}), never_packed);
}

}  // namespace
}  // namespace heddle::select::packing_test
