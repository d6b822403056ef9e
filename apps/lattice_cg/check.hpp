// lattice_cg/check.hpp: is it right? Every halo element against its place in the lattice; and the solutions against the
// plainest program for the whole lattice, on rank 0, without halo, parity or projection.
#pragma once

#include <mpi.h>

#include <string>

#include "gather.hpp"
#include "lattice.hpp"

namespace lattice {

/// Gathers each kind of element from each direction and parity (48 messages); all ranks get the number of wrong elements.
long wrong_halo_elements(const Lattice& lattice, Gathers& gathers);

/// |b - A x| / |b| on rank 0; collective.
double staggered_residual(const Lattice& lattice, const Field<Vector>& solution);
double wilson_residual(const Lattice& lattice, const Field<Wilson>& solution);

/// 64 bits in hexadecimal of all bits of the even sites, on rank 0 (FNV-1a). Collective.
std::string fingerprint(const Lattice& lattice, const Field<Vector>& field);
std::string fingerprint(const Lattice& lattice, const Field<Wilson>& field);

}  // namespace lattice
