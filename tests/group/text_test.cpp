// Groups as text.
#include "group/text.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heddle::group {
namespace {

std::vector<Rank> read(std::string_view text) {
  std::vector<Rank> all;
  parse(text).each([&](Rank rank) { all.push_back(rank); });
  return all;
}

TEST(Text, ReadsRanksRangesAndTopologies) {
  EXPECT_EQ(read("7"), (std::vector<Rank>{7}));
  EXPECT_EQ(read(" 5, 9:5:-2 ,1:4 "), (std::vector<Rank>{5, 9, 7, 1, 2, 3}));
  EXPECT_EQ(read("3:-1:-1"), (std::vector<Rank>{3, 2, 1, 0}));
  EXPECT_EQ(read("0:10 without 1:10:2 without 4"), (std::vector<Rank>{0, 2, 6, 8}));
  EXPECT_EQ(read("cart(2 x 3 x 2; *, 1, *)"), (std::vector<Rank>{2, 3, 8, 9}));
  EXPECT_EQ(read("cart(2x3;1,*), 0"), (std::vector<Rank>{3, 4, 5, 0}));
  EXPECT_EQ(parse("0:90000:300").size(), 300);
  EXPECT_EQ(parse("0:90000:300").format(), Format::stride);
}

TEST(Text, PointsAtMistakes) {
  const auto column = [](std::string_view text) -> std::size_t {
    try {
      (void)parse(text);
    } catch (const TextError& error) {
      return error.column();
    }
    return 0;
  };
  EXPECT_EQ(column(""), 1u);
  EXPECT_EQ(column("0:"), 3u);
  EXPECT_EQ(column("0:5:0"), 1u);
  EXPECT_EQ(column("0:5 5"), 5u);
  EXPECT_EQ(column("3, 5:2"), 4u);
  EXPECT_EQ(column("99999999999"), 1u);
  EXPECT_EQ(column("cart(3; 3)"), 10u);
  EXPECT_EQ(column("cart(3 x 2; 1)"), 14u);
  EXPECT_EQ(column("1 without"), 10u);
  EXPECT_THROW((void)parse("1, 2, 1"), std::invalid_argument);
}

RC_GTEST_PROP(Text, OfAnySortEndsWell, ()) {
  const std::vector<std::string> words{"cart(", ")", "*", ";",   "x",         ",",       ":",
                                       "-1",    "0", "7", "100", "999999999", "without", " "};
  std::string text;
  for (const std::string& word : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(words))) text += word;
  try {
    (void)parse(text);
  } catch (const TextError&) {
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace
}  // namespace heddle::group
