// engine/exchange/block.hpp: a block that goes to one edge of an exchange, or comes from one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/bytes.hpp"
#include "schedule/ranks.hpp"

namespace heddle::engine {

using layout::Bytes;
using schedule::Rank;

/// The place of a block in the program's memory is not here. The carrier (carrier.hpp) knows it by
/// the block's number.
struct Block {
  Rank rank;
  int tag;  ///< If several edges lead to a rank, equal tags belong together.
  Bytes bytes;
  int number;  ///< Number in its exchange: sends from 0 on, then receives.
  /// An `own` block moves within this rank. Blocks of an aggregate are `first` or `later`, and
  /// their message is that of the first block. A `mailbox` block goes by the mailbox of its pair of
  /// ranks (pair_mailboxes.hpp). A `consumed` block has come by mailbox, and is in place.
  enum class Role : std::uint8_t { alone, own, first, later, mailbox, consumed } role = Role::alone;
  Block* next = nullptr;        ///< Next block of the aggregate. An own block has its destination here.
  Bytes aggregate = 0;          ///< Bytes of the whole aggregate, in its first block.
  std::byte* packed = nullptr;  ///< Room for these bytes, in the first block.
  bool mailable = false;        ///< This block, or the aggregate that it begins, may go by the mailbox of its pair.

  /// Bytes in the mailbox, for a block that goes by one.
  [[nodiscard]] Bytes mailed() const noexcept { return next ? aggregate : bytes; }
  /// The role of such a block if it goes as a message instead.
  [[nodiscard]] Role as_message() const noexcept { return next ? Role::first : Role::alone; }
};

}  // namespace heddle::engine
