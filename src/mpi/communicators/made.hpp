// mpi/communicators/made.hpp: the group of a communicator that a call has just made, composed from its parent's where the call
// says which members it has. If the parent's is not known (a communicator that no message has asked for yet), or ranks may have
// been reordered, the host will be asked. Includes known.hpp, described.hpp.
//
//   const int result = PMPI_Cart_sub(comm, remain, made);
//   if (result == MPI_SUCCESS && communicators::opened()) communicators::part_of("MPI_Cart_sub", *made, comm, remain);
#pragma once

#include "mpi/communicators/described.hpp"

namespace heddle::mpi::communicators {

/// The parent's first ranks, as many as the new communicator has, in the same order unless reordered.
void front_of(const char* call, MPI_Comm made, MPI_Comm parent, bool reordered) noexcept;

/// The lines, planes, ... of a Cartesian topology through this process.
/// @param remain  As MPI_Cart_sub takes it.
void part_of(const char* call, MPI_Comm made, MPI_Comm parent, const int* remain) noexcept;

/// The members of `group`, if that is described. Not for what is made of an inter-communicator: of its groups only the local
/// one is an argument.
void of_group(const char* call, MPI_Comm made, MPI_Group group) noexcept;

}  // namespace heddle::mpi::communicators
