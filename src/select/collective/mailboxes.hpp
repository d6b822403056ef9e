// select/collective/mailboxes.hpp: how long a block may be to go to another rank of the node without a message
// (mpi/exchange/pair_mailboxes.hpp), which leaves nothing to be saved by bundles. May include: layout/bytes.hpp.
#pragma once

#include <algorithm>

#include "layout/bytes.hpp"

namespace heddle::select {

/// The memory that a rank lends to its readers: a mailbox for each, which is a line of the reader's and two slots.
struct MailboxSizes {
  static constexpr layout::Bytes lent = 64 << 10;
  static constexpr layout::Bytes line = 64;
  static constexpr layout::Bytes head = 24;       ///< Of a slot.
  static constexpr layout::Bytes most = 4 << 10;  ///< Longer blocks gain less from not being messages.
  static constexpr layout::Bytes shortest = 256;  ///< If no more fits there are none.

  layout::Bytes slot = 0;     ///< From one slot to the other.
  layout::Bytes longest = 0;  ///< Block, bytes; 0: none.
};

/// The longest that goes into such a slot; 0: none.
constexpr layout::Bytes longest_block(layout::Bytes slot) noexcept {
  const layout::Bytes room = std::min(MailboxSizes::most, slot - MailboxSizes::head);
  return room < MailboxSizes::shortest ? 0 : room;
}

constexpr MailboxSizes mailbox_sizes(layout::Count readers) noexcept {
  if (readers < 1) return {};
  const layout::Bytes box = MailboxSizes::lent / readers / MailboxSizes::line * MailboxSizes::line;
  MailboxSizes found{.slot = (box - MailboxSizes::line) / 2 / MailboxSizes::line * MailboxSizes::line};
  found.longest = longest_block(found.slot);
  return found.longest > 0 ? found : MailboxSizes{};
}

}  // namespace heddle::select
