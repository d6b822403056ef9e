// mpi/p2p/receive_in_place.hpp: a blocking receive straight into the program's buffer. Most
// messages are data. Then nothing is left to do once the library has received them: this receive
// makes no operation, and only compares the length of the message, as a landing does (landing.hpp).
//
//   switch (blocking_destination(data, from)) {                        // MPI_Recv, MPI_Sendrecv
//     case Destination::host: return host(status);
//     case Destination::buffer: return receive_in_place(host, data, from, status);
#pragma once

#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/p2p/landing.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {

/// The destination of a receive that blocks. It is unknown if the receive needs an operation, or if
/// Heddle has something to look at before.
[[gnu::always_inline]] inline Destination blocking_destination(const Buffer& data, const Envelope& from) {
  if (Watch::sees()) return Destination::unknown;
  const Destination found = destination(data.address, data.count, data.type);
  if (found == Destination::host) return found;
  const bool in_buffer =
      found == Destination::buffer || (!ProbeQueue::any() && !Network::here() && landed(data.address, data.count, data.type));
  const bool in_place = in_buffer && !report::of_process.load(std::memory_order_relaxed) && from.is_somebody() &&
                        !communicators::hides_errors(from.comm);
  return in_place ? Destination::buffer : Destination::unknown;
}

/// The receive has failed, or its message is as long as a descriptor.
[[gnu::noinline]] inline int settle_in_place(int result, const Buffer& data, MPI_Comm comm, MPI_Status* status) {
  return raise_new(complete_by_handle(result, data, Sender(comm), status), Raised::by_host(result), comm);
}

/// @param host  Receives the message into `data`. It is given a status.
template <class Host>
[[gnu::always_inline]] inline int receive_in_place(const Host& host, const Buffer& data, const Envelope& from,
                                                   MPI_Status* status) {
  const StatusOf arrived(status);
  const int result = host(arrived.get());
  if (result == MPI_SUCCESS && brings_data(*arrived.get())) [[likely]]
    return result;
  return settle_in_place(result, data, from.comm, arrived.get());
}

}  // namespace heddle::mpi
