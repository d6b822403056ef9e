// lattice_cg/staggered.cpp: see staggered.hpp.
#include "staggered.hpp"

namespace lattice {

Staggered::Staggered(const Lattice& lattice, Gathers& gathers, const Links& links)
    : lattice_(lattice), gathers_(gathers), links_(links), behind_(4, Field<Vector>(lattice)), odd_(lattice) {}

void Staggered::hop(Field<Vector>& in, Field<Vector>& out, Parity to) {
  const Parity from = 1 - to;
  for (Direction mu = 0; mu < 4; ++mu) gathers_.start(in, mu, from);
  for (int x = lattice_.first(from); x < lattice_.past(from); ++x)
    for (std::size_t mu = 0; mu < 4; ++mu) behind_[mu][x] = adjoint_times(links_[mu][x], in[x]);
  for (Direction mu = 0; mu < 4; ++mu) gathers_.start(behind_[static_cast<std::size_t>(mu)], opposite(mu), from);
  for (Direction mu = 0; mu < 4; ++mu) gathers_.wait(mu);
  for (int x = lattice_.first(to); x < lattice_.past(to); ++x) {
    Vector sum = links_[0][x] * in[lattice_.neighbour(0, x)];
    for (int mu = 1; mu < 4; ++mu) sum = sum + links_[static_cast<std::size_t>(mu)][x] * in[lattice_.neighbour(mu, x)];
    out[x] = sum;
  }
  for (Direction mu = 0; mu < 4; ++mu) gathers_.wait(opposite(mu));
  for (int x = lattice_.first(to); x < lattice_.past(to); ++x)
    for (int mu = 0; mu < 4; ++mu) out[x] = out[x] - behind_[static_cast<std::size_t>(mu)][lattice_.neighbour(opposite(mu), x)];
}

void Staggered::apply(Field<Vector>& in, Field<Vector>& out) {
  hop(in, odd_, 1);
  hop(odd_, out, 0);
  for (int x = lattice_.first(0); x < lattice_.past(0); ++x) out[x] = 4 * mass * mass * in[x] - out[x];
}

}  // namespace lattice
