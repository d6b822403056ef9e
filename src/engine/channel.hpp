// engine/channel.hpp: messages of bytes between the ranks of one collective, handed in to what carries schedules out: over MPI
// in mpi/exchange, over SimGrid in sim/smpi, over memory in tests. May include: schedule/ranks.hpp, layout/bytes.hpp.
#pragma once

#include <cstddef>
#include <limits>
#include <span>

#include "layout/bytes.hpp"
#include "schedule/ranks.hpp"

namespace heddle::engine {

using layout::Bytes;
using schedule::Rank;

/// Bytes of a message that lie here and there.
struct Piece {
  const std::byte* at;
  Bytes bytes;
};

/// Something has gone wrong with a message, as what carries it counts errors (MPI: an error code).
struct Failed {
  int code;
};

/// Messages between two ranks arrive in the order in which they are sent and posted.
class Channel {
 public:
  virtual ~Channel() = default;

  /// A receive that has begun; void once finished() has said true.
  using Ticket = std::size_t;
  static constexpr Ticket all = std::numeric_limits<Ticket>::max();

  /// Begins one message: the pieces one after the other. They stay as they are until finished() has said true.
  virtual void send(Rank to, std::span<const Piece> pieces) noexcept = 0;
  void send(Rank to, const std::byte* from, Bytes bytes) noexcept {
    const Piece whole{from, bytes};
    send(to, std::span(&whole, 1));
  }
  /// Begins to receive the next message of `from`, of at most `room` bytes.
  virtual Ticket receive(Rank from, std::byte* to, Bytes room) noexcept = 0;

  /// Whether all receives up to this one are complete. `wait`: returns when they are.
  virtual bool received(Ticket ticket, bool wait) noexcept = 0;
  bool received(bool wait) noexcept { return received(all, wait); }
  /// Whether all sends and receives are complete.
  virtual bool finished(bool wait) noexcept = 0;

  /// The first thing that went wrong; 0: nothing. What has been received since may be anything.
  [[nodiscard]] virtual int error() const noexcept { return 0; }
  void check() const {
    if (error() != 0) throw Failed{error()};
  }
};

}  // namespace heddle::engine
