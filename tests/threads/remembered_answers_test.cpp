#include "threads/remembered_answers.hpp"

#include <gtest/gtest.h>

namespace heddle::threads::remembered_answers_test {
namespace {

constexpr std::uint64_t asked = 0x123456789ABCDEF0, same_place = 0x123456789ABCDE00, other_place = ~asked;

TEST(RememberedAnswers, HoldsWhatWasNoted31Times) {
  RememberedAnswers answers;
  EXPECT_FALSE(answers.holds(asked));
  answers.note(asked);
  for (int i = 0; i < 31; ++i) EXPECT_TRUE(answers.holds(asked)) << i;
  EXPECT_FALSE(answers.holds(asked));
  answers.note(asked);
  EXPECT_TRUE(answers.holds(asked));
}

TEST(RememberedAnswers, TheLastOfAPlaceStays) {
  RememberedAnswers answers;
  answers.note(asked);
  EXPECT_FALSE(answers.holds(same_place));
  answers.note(other_place);
  answers.note(same_place);
  EXPECT_FALSE(answers.holds(asked));
  EXPECT_TRUE(answers.holds(same_place));
  EXPECT_TRUE(answers.holds(other_place));
}

TEST(RememberedAnswers, TheLowestBitsOfAKeyDoNotCount) {
  RememberedAnswers answers;
  answers.note(asked | 31);
  EXPECT_TRUE(answers.holds(asked));
  EXPECT_FALSE(answers.holds(asked ^ 32));
}

}  // namespace
}  // namespace heddle::threads::remembered_answers_test
