// engine/collective/channel.hpp: carries messages of bytes between the ranks of one collective, for
// code that carries out schedules. Derived classes work over MPI in mpi/exchange, over SimGrid in
// sim/smpi, over memory in tests.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "layout/bytes.hpp"
#include "schedule/ranks.hpp"

namespace heddle::engine {

using layout::Bytes;
using schedule::Rank;

/// A part of a message whose bytes lie together.
struct Piece {
  const std::byte* at;
  Bytes bytes;
};

/// Thrown if a message has failed. `code` is the channel's error (MPI: an error code).
struct Failed {
  int code;
};

/// Messages between two ranks arrive in the order in which they are sent and posted.
class Channel {
 public:
  virtual ~Channel() = default;

  /// A receive that has begun. Invalid once finished() has returned true.
  using Ticket = std::size_t;
  static constexpr Ticket all = std::numeric_limits<Ticket>::max();

  /// Begins to send one message: the pieces one after the other. The caller keeps them unchanged
  /// until finished() returns true.
  virtual void send(Rank to, std::span<const Piece> pieces) noexcept = 0;
  void send(Rank to, const std::byte* from, Bytes bytes) noexcept {
    const Piece whole{from, bytes};
    send(to, std::span(&whole, 1));
  }
  /// Begins to receive the next message of `from`, of at most `room` bytes.
  virtual Ticket receive(Rank from, std::byte* to, Bytes room) noexcept = 0;

  /// True: all receives up to this one are complete. `wait`: returns only then.
  virtual bool received(Ticket ticket, bool wait) noexcept = 0;
  bool received(bool wait) noexcept { return received(all, wait); }
  /// True: all sends and receives are complete.
  virtual bool finished(bool wait) noexcept = 0;

  /// The first error; 0: none. Bytes that were received after an error may be anything.
  [[nodiscard]] virtual int error() const noexcept { return 0; }
  void check() const {
    if (error() != 0) throw Failed{error()};
  }
};

}  // namespace heddle::engine
