// mpi/p2p/mistakes.hpp: whether a host takes the arguments of a message. A call of two messages (sendrecv.cpp) asks before the
// first begins: what the host refuses, or may refuse, is the host's call as the program made it, and nothing has been sent.
// Includes communicators/, probe_queue.hpp, types/.
//
//   if (!takes(out, Direction::out, to) || !takes(in, Direction::in, from)) return host();
#pragma once

#include "mpi/p2p/probe_queue.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi {

enum class Direction { out, in };

/// Whether a message may have that tag: up to MPI_TAG_UB of `comm`, which is valid.
bool is_tag(int tag, MPI_Comm comm) noexcept;

/// Whether the host takes such a message for certain.
bool takes(const Buffer& data, Direction direction, const Envelope& peer);

}  // namespace heddle::mpi
