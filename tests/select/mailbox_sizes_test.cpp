// select/collective/mailbox_sizes.hpp: the longest block for a number of readers. Blocks that fit
// are not bundled.
#include "select/collective/mailbox_sizes.hpp"

#include <gtest/gtest.h>

#include "schedule/algorithms.hpp"
#include "select/collective/choose_collective.hpp"

namespace heddle::select::mailbox_sizes_test {
namespace {

TEST(MailboxSizes, AreSmallerTheMoreReadThem) {
  EXPECT_EQ(mailbox_sizes(0).longest, 0);
  EXPECT_EQ(mailbox_sizes(1).longest, MailboxSizes::most);
  layout::Bytes last = MailboxSizes::most;
  for (layout::Count readers = 1; readers < 2000; ++readers) {
    const MailboxSizes sizes = mailbox_sizes(readers);
    EXPECT_LE(sizes.longest, last) << readers;
    EXPECT_TRUE(sizes.longest == 0 || sizes.longest >= MailboxSizes::shortest) << readers;
    EXPECT_LE(sizes.longest + (sizes.longest > 0 ? MailboxSizes::head : 0), sizes.slot) << readers;
    if (sizes.longest > 0) {
      const layout::Count in_one = MailboxSizes::lent / (MailboxSizes::line + 2 * sizes.slot);
      EXPECT_LE((readers + in_one - 1) / in_one, MailboxSizes::most_lent) << readers;
    }
    last = sizes.longest;
  }
  EXPECT_EQ(last, 0);
  EXPECT_EQ(mailbox_sizes(48).longest, MailboxSizes::most);
}

TEST(MailboxSizes, OfOneSlotAreSmaller) {
  for (layout::Count readers = 1; readers < 500; ++readers) {
    const MailboxSizes sizes = mailbox_sizes(readers, 1);
    EXPECT_LE(sizes.longest, mailbox_sizes(readers).longest) << readers;
    EXPECT_LE(readers * (MailboxSizes::line + 2 * sizes.slot) * (sizes.longest > 0), MailboxSizes::lent) << readers;
  }
}

TEST(MailboxSizes, OfNeighboursTakeWholeFaces) {
  const auto longest = [](layout::Count neighbours) {
    return mailbox_sizes(neighbours, MailboxSizes::most_lent_to_neighbours, MailboxSizes::most_together).longest;
  };
  EXPECT_EQ(longest(1), MailboxSizes::most_together);
  EXPECT_EQ(longest(16), MailboxSizes::most_together);
  EXPECT_GE(longest(26), 8 << 10);
  EXPECT_GE(longest(31), 8 << 10);
  EXPECT_GE(longest(60), MailboxSizes::most);
}

TEST(MailboxSizes, NothingThatFitsIsBundled) {
  AlltoallvFacts facts;
  facts.ranks = facts.members = 16;
  facts.crowding = 8;
  facts.links = &mpich_links;
  facts.partners = 15, facts.most_partners = 15;
  facts.bytes = 15 * 8, facts.most_bytes = 15 * 8, facts.largest_block = 8;
  EXPECT_NE(choose_alltoallv(facts).algorithm, &schedule::alltoallv_direct);
  facts.mailboxes = mailbox_sizes(15).longest;
  EXPECT_EQ(choose_alltoallv(facts).algorithm, &schedule::alltoallv_direct);
  EXPECT_NE(why_alltoallv(facts).find("without messages"), std::string::npos);
  facts.largest_block = facts.mailboxes + 1;
  EXPECT_NE(choose_alltoallv(facts).algorithm, &schedule::alltoallv_direct);
  facts.largest_block = 8;
  facts.nodes = 2, facts.members = 8;
  EXPECT_EQ(why_alltoallv(facts).find("without messages"), std::string::npos);
}

}  // namespace
}  // namespace heddle::select::mailbox_sizes_test
