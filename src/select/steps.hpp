// select/steps.hpp: the times of the steps of schemes, for one message. Within select/ only.
#pragma once

#include "select/choose_message.hpp"

namespace heddle::select {

/// ns for the whole message.
struct Steps {
  explicit Steps(const Facts& facts) noexcept;

  /// process_vm_readv with this many pieces on each side. Each segment needs at least a call, and
  /// so a piece on each side.
  [[nodiscard]] double read(Count remote, Count local) const noexcept;

  const Profile& p;
  double bytes;
  double whole;  ///< Pieces of read_segment.
  const Side& from;
  const Side& to;      ///< The receiver, or the sender if the receiver is unknown.
  double pack;         ///< The sender packs into slots.
  double unpack;       ///< The receiver unpacks out of slots that the other core has written.
  double unpack_here;  ///< The receiver unpacks out of its own memory.
  double move;         ///< The receiver moves data from the sender's mapped buffer to its own.
};

constexpr Bytes read_segment = 64 << 10;  ///< Bytes of a call: as large as a slot.

}  // namespace heddle::select
