// mpi/p2p/message_checks.hpp: whether a host takes the arguments of a message. A call of two
// messages (sendrecv.cpp) checks both before the first begins. If the host may refuse the
// arguments, it gets the call as the program made it. Nothing has been sent by then.
//
//   if (!takes(out, Direction::out, to) || !takes(in, Direction::in, from)) return host();
#pragma once

#include "mpi/p2p/host_probe.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

enum class Direction { out, in };

/// True: a message may have that tag, which is at most MPI_TAG_UB. `comm` must be valid.
bool is_tag(int tag, MPI_Comm comm) noexcept;

/// True: the host certainly takes such a message.
bool takes(const Buffer& data, Direction direction, const Envelope& peer);

}  // namespace heddle::mpi
