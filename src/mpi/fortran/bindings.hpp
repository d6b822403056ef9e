// mpi/fortran/bindings.hpp: programs in Fortran. Includes nothing of Heddle.
//
// MPICH's bindings call MPI_Send, and so come to Heddle by themselves. Open MPI's call PMPI_Send, past every interposer:
//
//   mpi_send_ | ompi_send_f | MPI_Send_f08  ->  libmpi_mpifh: converts handles, sentinels, logicals  ->  PMPI_Send
//                                                                                    its table says ->  MPI_Send of Heddle
//
// What a library imports stands in its global offset table, one address for each procedure. Heddle writes its own there: all
// that is Fortran's own (handles, MPI_IN_PLACE, statuses, 1-based indices) stays the affair of the bindings, in all three of
// mpif.h, `use mpi` and `use mpi_f08`.
#pragma once

namespace heddle::mpi::fortran {

/// Routes the calls of all bindings that are loaded to Heddle; again for those that have come since. When Heddle is loaded, and
/// in MPI_Init.
void route() noexcept;

/// In MPI_Init: loads the bindings that lie beside the MPI library, so that a module of a Python program, which may bring them
/// later, finds them routed.
void load_beside_host() noexcept;

/// Whether every call from Fortran comes to Heddle. If not, no message may be announced: a receive in Fortran would take the
/// announcement for the message.
bool heard() noexcept;

}  // namespace heddle::mpi::fortran
