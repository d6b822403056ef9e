// mpi/lifecycle/doctor.hpp: HEDDLE_DOCTOR=on, for `heddle doctor -- PROGRAM`: what Heddle finds in a program at MPI_Init and
// what will be in effect, on stderr, in lines that people and that command read. Then the process ends, before the program's
// own work. Includes nothing of Heddle.
//
//   heddle: ✓ receives: all come to Heddle, by whatever name
//   heddle: ! collectives: packed, through the MPI library's → why, or what to do
#pragma once

namespace heddle::mpi {

/// What the ranks have come to in MPI_Init.
struct Started {
  const char* missed;  ///< interposition::misses().
  unsigned wanted;     ///< What the settings ask for, as in presence.hpp.
  unsigned all;        ///< What every rank wishes.
};

/// With HEDDLE_VERBOSE=1, in MPI_Init: "heddle: above Heddle: libtool.so (MPI_Recv).", where there is something.
void say_tools_if_asked() noexcept;

/// At the end of MPI_Init.
void say_findings(const Started& started) noexcept;

/// At the end of MPI_Session_init: there, nothing is shared with other ranks.
void say_findings_of_session() noexcept;

}  // namespace heddle::mpi
