// select/steps.hpp: the steps that schemes are made of, for one message. Within select/ only. May include: choose.hpp.
#pragma once

#include "select/choose.hpp"

namespace heddle::select {

/// ns for the whole message.
struct Steps {
  explicit Steps(const Facts& facts) noexcept;

  /// process_vm_readv with this many pieces on each side; a call, and so one piece on each side, for each segment at least.
  [[nodiscard]] double read(Count remote, Count local) const noexcept;

  const Profile& p;
  double bytes;
  double whole;  ///< Pieces of read_segment.
  const Side& from;
  const Side& to;      ///< The receiver, or who it is taken for.
  double pack;         ///< By the sender, into slots.
  double unpack;       ///< By the receiver, out of slots that the other core has written.
  double unpack_here;  ///< The same out of its own memory.
  double move;         ///< By the receiver, from the sender's mapped buffer to its own.
};

constexpr Bytes read_segment = 64 << 10;  ///< A call for each: as large as a slot.

}  // namespace heddle::select
