// select/collective/mailboxes.hpp: how long a block may be to go to another rank of the node
// without a message (engine/exchange/pair_mailboxes.hpp), which leaves nothing to be saved by
// bundles.
#pragma once

#include <algorithm>

#include "layout/bytes.hpp"

namespace heddle::select {

/// The memory that a rank lends to its readers: a mailbox for each, which is a line of the reader's and two slots, in loaned
/// slots of the rank's.
struct MailboxSizes {
  static constexpr layout::Bytes lent = 64 << 10;  ///< One of these.
  static constexpr layout::Count most_lent = 8;    ///< For one communicator.
  static constexpr layout::Count most_lent_to_neighbours = 16;
  static constexpr layout::Bytes line = 64;
  static constexpr layout::Bytes head = 24;       ///< Of a slot.
  static constexpr layout::Bytes most = 4 << 10;  ///< Longer blocks gain less from not being messages.
  /// All that a neighbour gets, which would be several messages.
  static constexpr layout::Bytes most_together = 24 << 10;
  static constexpr layout::Bytes shortest = 256;  ///< If no more fits there are none.

  layout::Bytes slot = 0;     ///< From one slot to the other.
  layout::Bytes longest = 0;  ///< Block, bytes; 0: none.
};

/// The longest that goes into such a slot; 0: none.
constexpr layout::Bytes longest_block(layout::Bytes slot, layout::Bytes most = MailboxSizes::most) noexcept {
  const layout::Bytes room = std::min(most, slot - MailboxSizes::head);
  return room < MailboxSizes::shortest ? 0 : room;
}

/// @param slots  That may be lent.
constexpr MailboxSizes mailbox_sizes(layout::Count readers, layout::Count slots = MailboxSizes::most_lent,
                                     layout::Bytes most = MailboxSizes::most) noexcept {
  if (readers < 1) return {};
  // As many readers to a slot as find room there for the longest blocks; more, where the slots would not do.
  const layout::Bytes lines = (MailboxSizes::head + most + MailboxSizes::line - 1) / MailboxSizes::line;
  const layout::Bytes longest = (1 + 2 * lines) * MailboxSizes::line;
  const layout::Count in_one = std::min(readers, std::max(MailboxSizes::lent / longest, (readers + slots - 1) / slots));
  const layout::Bytes box = MailboxSizes::lent / in_one / MailboxSizes::line * MailboxSizes::line;
  MailboxSizes found{.slot = (box - MailboxSizes::line) / 2 / MailboxSizes::line * MailboxSizes::line};
  found.longest = longest_block(found.slot, most);
  return found.longest > 0 ? found : MailboxSizes{};
}

}  // namespace heddle::select
