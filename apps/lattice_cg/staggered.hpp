// lattice_cg/staggered.hpp: the staggered quark: A = 4 m² - D_eo D_oe on the even sites, where
//
//   (D v)(x) = sum over mu of  U_mu(x) v(x+mu) - U_mu(x-mu)^dagger v(x-mu)          (phases are in the links)
//
// As in MILC, it gathers the neighbours ahead as su3_vectors. The neighbours behind first multiply
// by their own link. Then it gathers the products.
#pragma once

#include <array>

#include "fields.hpp"
#include "gather.hpp"
#include "lattice.hpp"
#include "smear.hpp"
#include "su3.hpp"

namespace lattice {

class Staggered {
 public:
  using Spinor = Vector;
  /// Floating-point operations of one application, for each even site: 2 × (8 × 66 + 7 × 6) + 12.
  static constexpr double flops = 1152;

  Staggered(const Lattice& lattice, Gathers& gathers, const Links& links);
  /// out = A in, on even sites; may fill the halo of `in`.
  void apply(Field<Vector>& in, Field<Vector>& out);

 private:
  void hop(Field<Vector>& in, Field<Vector>& out, Parity to);

  const Lattice& lattice_;
  Gathers& gathers_;
  const Links& links_;
  std::vector<Field<Vector>> behind_;  // four
  Field<Vector> odd_;
};

}  // namespace lattice
