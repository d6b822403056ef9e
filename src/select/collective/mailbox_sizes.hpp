// select/collective/mailbox_sizes.hpp: the longest block that goes to another rank of the node by a
// mailbox, without a message (engine/exchange/pair_mailboxes.hpp). Bundles cannot save messages for
// such blocks.
#pragma once

#include <algorithm>

#include "layout/bytes.hpp"

namespace heddle::select {

/// The memory that a rank lends to its readers. Each reader gets a mailbox: a line that the reader
/// writes, and two slots. Mailboxes lie in loaned slots of the rank.
struct MailboxSizes {
  static constexpr layout::Bytes lent = 64 << 10;  ///< Bytes of a loaned slot.
  static constexpr layout::Count most_lent = 8;    ///< Loaned slots for one communicator.
  static constexpr layout::Count most_lent_to_neighbours = 16;
  static constexpr layout::Bytes line = 64;
  static constexpr layout::Bytes head = 24;       ///< Head of a slot.
  static constexpr layout::Bytes most = 4 << 10;  ///< Longer blocks gain less from mailboxes.
  /// Most bytes of all blocks for one neighbour, which would be several messages.
  static constexpr layout::Bytes most_together = 24 << 10;
  static constexpr layout::Bytes shortest = 256;  ///< If only shorter blocks fit, there are no mailboxes.

  layout::Bytes slot = 0;     ///< Distance between the two slots.
  layout::Bytes longest = 0;  ///< Longest block, bytes; 0: no mailboxes.
};

/// The longest block that fits such a slot; 0: none.
constexpr layout::Bytes longest_block(layout::Bytes slot, layout::Bytes most = MailboxSizes::most) noexcept {
  const layout::Bytes room = std::min(most, slot - MailboxSizes::head);
  return room < MailboxSizes::shortest ? 0 : room;
}

/// @param slots  Most loaned slots.
constexpr MailboxSizes mailbox_sizes(layout::Count readers, layout::Count slots = MailboxSizes::most_lent,
                                     layout::Bytes most = MailboxSizes::most) noexcept {
  if (readers < 1) return {};
  // A loaned slot serves as many readers as have room in it for the longest blocks. It serves more
  // if there are too few slots for all readers.
  const layout::Bytes lines = (MailboxSizes::head + most + MailboxSizes::line - 1) / MailboxSizes::line;
  const layout::Bytes longest = (1 + 2 * lines) * MailboxSizes::line;
  const layout::Count in_one = std::min(readers, std::max(MailboxSizes::lent / longest, (readers + slots - 1) / slots));
  const layout::Bytes box = MailboxSizes::lent / in_one / MailboxSizes::line * MailboxSizes::line;
  MailboxSizes found{.slot = (box - MailboxSizes::line) / 2 / MailboxSizes::line * MailboxSizes::line};
  found.longest = longest_block(found.slot, most);
  return found.longest > 0 ? found : MailboxSizes{};
}

}  // namespace heddle::select
