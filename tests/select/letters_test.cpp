// select/collective/letters.hpp: how long a letter may be for how many readers, and that nothing is bundled that is one.
#include "select/collective/letters.hpp"

#include <gtest/gtest.h>

#include "schedule/algorithms.hpp"
#include "select/collective/choose.hpp"

namespace heddle::select {
namespace {

TEST(Letters, AreShorterTheMoreReadThem) {
  EXPECT_EQ(letter_box(0).letter, 0);
  EXPECT_EQ(letter_box(1).letter, LetterBox::longest);
  layout::Bytes last = LetterBox::longest;
  for (layout::Count readers = 1; readers < 2000; ++readers) {
    const LetterBox box = letter_box(readers);
    EXPECT_LE(box.letter, last) << readers;
    EXPECT_TRUE(box.letter == 0 || box.letter >= LetterBox::shortest) << readers;
    EXPECT_LE(box.letter + (box.letter > 0 ? LetterBox::head : 0), box.half) << readers;
    EXPECT_LE(readers * (LetterBox::line + 2 * box.half) * (box.letter > 0), LetterBox::lent) << readers;
    last = box.letter;
  }
  EXPECT_EQ(last, 0);
}

TEST(Letters, AreNotBundled) {
  AlltoallvFacts facts;
  facts.ranks = facts.members = 16;
  facts.crowding = 8;
  facts.links = &mpich_links;
  facts.partners = 15, facts.most_partners = 15;
  facts.bytes = 15 * 8, facts.most_bytes = 15 * 8, facts.largest_block = 8;
  EXPECT_NE(choose_alltoallv(facts).algorithm, &schedule::alltoallv_direct);
  facts.letters = letter_box(15).letter;
  EXPECT_EQ(choose_alltoallv(facts).algorithm, &schedule::alltoallv_direct);
  EXPECT_NE(why_alltoallv(facts).find("without messages"), std::string::npos);
  facts.largest_block = facts.letters + 1;
  EXPECT_NE(choose_alltoallv(facts).algorithm, &schedule::alltoallv_direct);
  facts.largest_block = 8;
  facts.nodes = 2, facts.members = 8;
  EXPECT_EQ(why_alltoallv(facts).find("without messages"), std::string::npos);
}

}  // namespace
}  // namespace heddle::select
