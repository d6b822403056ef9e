// mpi/collectives/call_forms.hpp: the three forms of a collective: blocking, non-blocking,
// persistent. Each family of calls/ is written once, for all of them.
//
//   template <class Form, class Host, class Hand>
//   int broadcast(const Form& form, Host host, const Buffer& data, int root, MPI_Comm comm, Hand hand) {
//     ...
//     return hand(op);                                    // PMPI_Bcast, PMPI_Ibcast or PMPI_Bcast_init, of what op.in has
//   }
//   HEDDLE_COLLECTIVE_Bcast(broadcast)                    // defines all of them: host_procedures.py
#pragma once

#include "mpi/process/numbers.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

/// MPI_Gather.
struct Blocking {
  static constexpr bool blocking = true, persistent = false;
  const char* call;
};
/// MPI_Igather.
struct Started {
  static constexpr bool blocking = false, persistent = false;
  const char* call;
  MPI_Request* request;
};
/// MPI_Gather_init.
struct Kept {
  static constexpr bool blocking = false, persistent = true;
  const char* call;
  MPI_Info info;
  MPI_Request* request;
};

}  // namespace heddle::mpi
