// engine/channel.hpp: messages of bytes between the ranks of one collective, handed in to what carries schedules out: over MPI
// in mpi/exchange, over memory in tests. May include: schedule/ranks.hpp, layout/bytes.hpp.
#pragma once

#include <cstddef>

#include "layout/bytes.hpp"
#include "schedule/ranks.hpp"

namespace heddle::engine {

using layout::Bytes;
using schedule::Rank;

/// Messages between two ranks arrive in the order in which they are sent and posted.
class Channel {
 public:
  virtual ~Channel() = default;

  /// Begins; the memory is the channel's until finished() has said true.
  virtual void send(Rank to, const std::byte* from, Bytes bytes) noexcept = 0;
  /// Begins; until received() has said true. The message has exactly so many bytes.
  virtual void receive(Rank from, std::byte* to, Bytes bytes) noexcept = 0;

  /// Whether all receives begun so far are complete. `wait`: returns when they are.
  virtual bool received(bool wait) noexcept = 0;
  /// Whether all sends and receives are complete.
  virtual bool finished(bool wait) noexcept = 0;
};

}  // namespace heddle::engine
