// lattice_cg/fields.hpp: the problem. It is the same for any number of ranks, because each element
// follows from its place in the whole lattice.
#pragma once

#include "lattice.hpp"
#include "su3.hpp"

namespace lattice {

/// A random SU(3) matrix: the link that leaves `x` in direction `mu`, 0 to 3.
Matrix link_at(const Four& x, const Four& global, int mu);
/// Sources, uniform in [-1, 1].
Vector vector_at(const Four& x, const Four& global);
Wilson wilson_at(const Four& x, const Four& global);

/// The staggered fermion's sign, (-1)^(x_0 + ... + x_(mu-1)).
inline double phase(const Four& x, int mu) {
  int sum = 0;
  for (int before = 0; before < mu; ++before) sum += x[static_cast<std::size_t>(before)];
  return sum % 2 == 0 ? 1.0 : -1.0;
}

constexpr double staple_weight = 0.05;  ///< Weight of each of the six staples in a fat link. The link has the rest of 1.
constexpr double mass = 0.1;            ///< Mass of the staggered quark.
constexpr double kappa = 0.11;          ///< Hopping parameter of the Wilson quark.

}  // namespace lattice
