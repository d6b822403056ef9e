// engine/exchange/block.hpp: what goes to, or comes from, one edge of an exchange.
#pragma once

#include <cstddef>
#include <cstdint>

#include "layout/bytes.hpp"
#include "schedule/ranks.hpp"

namespace heddle::engine {

using layout::Bytes;
using schedule::Rank;

/// What lies where in the program's memory knows who carries it (carrier.hpp), by its number.
struct Block {
  Rank rank;
  int tag;  ///< Of several edges to a rank: equal ones belong together.
  Bytes bytes;
  int number;  ///< In its exchange: sends from 0 on, then receives.
  /// Own: moved within this rank. First, later: of an aggregate, which only its first one names to others. Mailbox: by that of
  /// its pair of ranks (pair_mailboxes.hpp); consumed: such a one, in place.
  enum class Role : std::uint8_t { alone, own, first, later, mailbox, consumed } role = Role::alone;
  Block* next = nullptr;        ///< In the aggregate; of an own one, where it goes.
  Bytes aggregate = 0;          ///< Bytes of the whole, at its first block.
  std::byte* packed = nullptr;  ///< Room for them, likewise.
  bool mailable = false;        ///< Of a pair of ranks this block, or the aggregate that it begins, may be in the mailbox.

  /// Of a block in a mailbox: of all that is there.
  [[nodiscard]] Bytes mailed() const noexcept { return next ? aggregate : bytes; }
  /// What such a block is as a message.
  [[nodiscard]] Role as_message() const noexcept { return next ? Role::first : Role::alone; }
};

}  // namespace heddle::engine
