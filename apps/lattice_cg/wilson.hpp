// lattice_cg/wilson.hpp: the Wilson quark: A = M^dagger M on the even sites,
// M = 1 - kappa² D_eo D_oe, where
//
//   (D v)(x) = sum over mu of  U_mu(x) (1 - gamma_mu) v(x+mu) + U_mu(x-mu)^dagger (1 + gamma_mu) v(x-mu)
//
// Two of the four spins of (1 ± gamma) v follow from the other two, so it gathers
// half_wilson_vectors.
#pragma once

#include <vector>

#include "fields.hpp"
#include "gather.hpp"
#include "lattice.hpp"
#include "smear.hpp"
#include "su3.hpp"

namespace lattice {

/// gamma_mu in the chiral basis: (gamma v)_s = i^power v_spin for s = 0 ... 3.
struct Gamma {
  int spin[4];
  int power[4];
};
constexpr Gamma gammas[4] = {{{3, 2, 1, 0}, {1, 1, 3, 3}},   // x
                             {{3, 2, 1, 0}, {2, 0, 0, 2}},   // y
                             {{2, 3, 0, 1}, {1, 3, 3, 1}},   // z
                             {{2, 3, 0, 1}, {0, 0, 0, 0}}};  // t

class WilsonQuark {
 public:
  using Spinor = Wilson;
  /// Floating-point operations of one application, for each even site: 4 × 1320, and 48 in each M.
  static constexpr double flops = 5376;

  WilsonQuark(const Lattice& lattice, Gathers& gathers, const Links& links);
  /// out = A in, on even sites.
  void apply(Field<Wilson>& in, Field<Wilson>& out);

 private:
  void hop(const Field<Wilson>& in, Field<Wilson>& out, Parity to);
  void step(const Field<Wilson>& in, Field<Wilson>& out);  // M

  const Lattice& lattice_;
  Gathers& gathers_;
  const Links& links_;
  std::vector<Field<HalfWilson>> halves_;  // one for each direction
  Field<Wilson> odd_, middle_;
};

}  // namespace lattice
