// lattice_cg/smear.cpp: see smear.hpp.
#include "smear.hpp"

#include "fields.hpp"

namespace lattice {
namespace {

void gather_both(Gathers& gathers, Field<Matrix>& field, Direction d) {
  for (Parity p = 0; p < 2; ++p) {
    gathers.start(field, d, p);
    gathers.wait(d);
  }
}

}  // namespace

void smear(const Lattice& lattice, Gathers& gathers, Links& thin, Links& fat) {
  for (std::size_t mu = 0; mu < 4; ++mu)
    for (Direction nu = 0; nu < 4; ++nu)
      if (nu != static_cast<int>(mu)) gather_both(gathers, thin[mu], nu);

  Field<Matrix> lower(lattice);  // the lower staple, computed at the site where it begins
  for (int mu = 0; mu < 4; ++mu) {
    Field<Matrix>&u = thin[static_cast<std::size_t>(mu)], &sum = fat[static_cast<std::size_t>(mu)];
    for (int x = 0; x < lattice.sites(); ++x) sum[x] = (1 - 6 * staple_weight) * u[x];
    for (int nu = 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      const Field<Matrix>& v = thin[static_cast<std::size_t>(nu)];
      for (int x = 0; x < lattice.sites(); ++x) lower[x] = adjoint(v[x]) * u[x] * v[lattice.neighbour(mu, x)];
      gather_both(gathers, lower, opposite(nu));
      for (int x = 0; x < lattice.sites(); ++x) {
        const Matrix upper = v[x] * u[lattice.neighbour(nu, x)] * adjoint(v[lattice.neighbour(mu, x)]);
        sum[x] = sum[x] + staple_weight * (upper + lower[lattice.neighbour(opposite(nu), x)]);
      }
    }
  }
}

}  // namespace lattice
