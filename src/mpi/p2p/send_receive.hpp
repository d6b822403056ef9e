// mpi/p2p/send_receive.hpp: MPI_Sendrecv, MPI_Isendrecv and their forms for one buffer: two operations, each with its own
// route. Includes send.hpp, receive.hpp.
#pragma once

#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/send.hpp"

namespace heddle::mpi {

/// One side of such a call.
struct Half {
  Buffer data;
  Route route;
  Envelope peer;
};

/// MPI_Sendrecv; MPI_Sendrecv_replace if `in_place`: what is sent has left the buffer before anything comes.
int send_receive(const Half& out, const Half& in, bool in_place, MPI_Status* status);
/// MPI_Isendrecv, MPI_Isendrecv_replace. Nothing: it is the host's, as the program made it.
Done start_send_receive(const Half& out, const Half& in, bool in_place, MPI_Request* request);

}  // namespace heddle::mpi
