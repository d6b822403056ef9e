// lattice_cg/check.hpp: checks the results. Every halo element must suit its place in the lattice.
// The solutions must agree with the simplest program for the whole lattice, on rank 0, without
// halo, parity or projection.
#pragma once

#include <mpi.h>

#include <string>

#include "gather.hpp"
#include "lattice.hpp"

namespace lattice {

/// Gathers each kind of element from each direction and parity (48 messages). Returns the number of
/// wrong elements on all ranks.
long wrong_halo_elements(const Lattice& lattice, Gathers& gathers);

/// Returns |b - A x| / |b| on rank 0. Collective.
double staggered_residual(const Lattice& lattice, const Field<Vector>& solution);
double wilson_residual(const Lattice& lattice, const Field<Wilson>& solution);

/// A hash (FNV-1a) of all bits of the even sites, on rank 0: 64 bits in hexadecimal. Collective.
std::string fingerprint(const Lattice& lattice, const Field<Vector>& field);
std::string fingerprint(const Lattice& lattice, const Field<Wilson>& field);

}  // namespace lattice
