// mpi/sparse/ways.hpp: the three ways of an exchange, and what they share. Includes incoming.hpp, wire.hpp,
// exchange/shadow_comm.hpp.
//
//   consensus   synchronous sends, take in whatever comes, a non-blocking barrier says when all is in
//   counts      an all-to-all of counts, then direct messages straight into place
//   crystal     bundles through log2 P rounds (engine/router.hpp)
#pragma once

#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/sparse/incoming.hpp"
#include "mpi/sparse/wire.hpp"

namespace heddle::mpi::sparse {

/// How the sparse exchanges of a communicator go: the same on all ranks, whatever their environments say. Collective at the
/// first call. Throws std::bad_alloc.
const SparseWay& way_of(ShadowComm& own);

/// One exchange, as one rank sees it.
struct Job {
  ShadowComm& shadow;
  const Outgoing& out;
  Incoming& in;
  heddle_arrivals& arrivals;
};

// Return an MPI error code that is not raised yet. They throw std::bad_alloc, and Failed.
int by_consensus(Job& job);
int by_counts(Job& job);
int by_crystal(Job& job);

/// Once all incoming messages are known (those not there yet without an address): receives them, straight into place where
/// that can be, sends all that have at least `least` bytes to others, and puts what has come in place.
int deliver(Job& job, Bytes least);

/// The bytes of a message that travel: where they lie, or packed into memory of the exchange.
const std::byte* bytes_of(const Outgoing::Message& message, Job& job);

}  // namespace heddle::mpi::sparse
