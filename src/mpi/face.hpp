// mpi/face.hpp: the room mpi/, the face that Heddle shows to programs. May include: everything of Heddle, and mpi.h through
// host.hpp. Nothing else of Heddle includes it.
//
// Heddle defines MPI_X for a few X (calls/, one file for each family), takes the place of the host's MPI_X and PMPI_X
// (interposition/), and calls the host by PMPI_X, which stays the host's here alone. What it does not define goes to the host
// untouched; src/mpi/treatments.csv states for every procedure of MPI what becomes of it, and why.
//
//   const Route route = route_of_send({buffer, count, type}, tag, Mode::standard);
//   if (route.way != Way::passthrough)
//     if (const Done done = send({buffer, count, type}, route, {dest, tag, comm}, Mode::standard)) return *done;
//   return PMPI_Send(buffer, count, type, dest, tag, comm);
//
// Such a function carries a call out, or returns nothing: then the call is not Heddle's and goes to the host as the program
// made it. It never touches the program's data before it is sure that it can carry on. Which calls are taken depends, in a
// collective, only on what all ranks know (types/signature.hpp).
//
//   types/     datatype handle -> layout and signature        memory/    staging buffers
//   p2p/       messages: route, send, receive, probe queue    calls/     the interposed procedures
//   collectives/, staging/   collectives through the host     exchange/  collectives pair by pair and by schedules
//   communicators/   who takes part in a communicator         handles/   what is known of handles of the host
//   start      settings, the host's family, going to sleep    say        messages
//   interposition/   how calls come here: in the place of the host's procedures, whoever calls them by whatever name
#pragma once

#include "mpi/communicators/known.hpp"
#include "mpi/host.hpp"
#include "mpi/staging/numbers.hpp"
#include "mpi/types/table.hpp"

namespace heddle::mpi {

/// Whether a handle is a derived datatype that Heddle has seen committed: the first thing every interposed call asks.
inline bool known(MPI_Datatype type) noexcept { return table.find(type) != nullptr; }

/// Whether one of a row of types is.
inline bool any_known(const MPI_Datatype* types, int n) noexcept {
  for (int i = 0; types && i < n; ++i)
    if (known(types[i])) return true;
  return false;
}

/// A buffer argument: `count` elements of `type` (or, for collectives, as many for each rank).
struct Buffer {
  const void* address;
  Count count;
  MPI_Datatype type;
};

/// A buffer argument of the v procedures: for rank i counts[i] elements of `type` at displacements[i] extents.
struct Spread {
  const void* address;
  Numbers counts, displacements;
  MPI_Datatype type;
};

/// A buffer argument of the w procedures: types differ, displacements are in bytes.
struct Mosaic {
  const void* address;
  Numbers counts, displacements;
  const MPI_Datatype* types;
};

/// Whether Heddle knows a type that such an argument names for `ranks` ranks.
inline bool any_known(const Buffer& data, int /*ranks*/) noexcept { return known(data.type); }
inline bool any_known(const Spread& data, int /*ranks*/) noexcept { return known(data.type); }
inline bool any_known(const Mosaic& data, int ranks) noexcept { return any_known(data.types, ranks); }

enum class Mode { standard, buffered, synchronous, ready };

/// Raises an error that the host has not returned, and so not raised. MPI_COMM_NULL: no communicator is known. The last step of
/// a call: the program's handler may throw, through here as through the host. So whatever calls the host on a communicator of
/// the program's, and whatever calls that, is not noexcept, and holds what it has by objects that let go of it.
inline int raise_new(int result, int host_result, MPI_Comm comm) {
  if (result != host_result) communicators::raise(comm, result);
  return result;
}

/// Likewise of an operation that is not over when the call returns.
inline int raise_new(int result, int host_result, const communicators::Hold& comm) {
  if (result != host_result) comm.raise(result);
  return result;
}

}  // namespace heddle::mpi
