// lattice_cg/wilson.cpp: see wilson.hpp.
#include "wilson.hpp"

namespace lattice {
namespace {

/// The upper two spins of (1 + gamma) v. With `minus` = 2, those of (1 - gamma) v, because i² = -1.
HalfWilson project(const Wilson& v, const Gamma& g, int minus) {
  return {{v.d[0] + turned(v.d[g.spin[0]], g.power[0] + minus), v.d[1] + turned(v.d[g.spin[1]], g.power[1] + minus)}};
}

/// Adds all four spins. The lower ones are the upper ones times ± i^power.
void add_whole(Wilson& sum, const HalfWilson& h, const Gamma& g, int minus) {
  sum.d[0] = sum.d[0] + h.h[0];
  sum.d[1] = sum.d[1] + h.h[1];
  for (int s = 2; s < 4; ++s) sum.d[s] = sum.d[s] + turned(h.h[g.spin[s]], g.power[s] + minus);
}

void gamma5(const Lattice& lattice, Field<Wilson>& v) {
  for (int x = lattice.first(0); x < lattice.past(0); ++x)
    for (int s = 2; s < 4; ++s) v[x].d[s] = -1.0 * v[x].d[s];
}

}  // namespace

WilsonQuark::WilsonQuark(const Lattice& lattice, Gathers& gathers, const Links& links)
    : lattice_(lattice),
      gathers_(gathers),
      links_(links),
      halves_(directions, Field<HalfWilson>(lattice)),
      odd_(lattice),
      middle_(lattice) {}

void WilsonQuark::hop(const Field<Wilson>& in, Field<Wilson>& out, Parity to) {
  const Parity from = 1 - to;
  for (int mu = 0; mu < 4; ++mu) {
    const auto ahead = static_cast<std::size_t>(mu), behind = static_cast<std::size_t>(opposite(mu));
    for (int x = lattice_.first(from); x < lattice_.past(from); ++x) {
      halves_[ahead][x] = project(in[x], gammas[mu], 2);
      halves_[behind][x] = adjoint_times(links_[ahead][x], project(in[x], gammas[mu], 0));
    }
    gathers_.start(halves_[ahead], mu, from);
    gathers_.start(halves_[behind], opposite(mu), from);
  }
  for (Direction d = 0; d < directions; ++d) gathers_.wait(d);
  for (int x = lattice_.first(to); x < lattice_.past(to); ++x) {
    Wilson sum{};
    for (int mu = 0; mu < 4; ++mu) {
      const auto ahead = static_cast<std::size_t>(mu), behind = static_cast<std::size_t>(opposite(mu));
      add_whole(sum, links_[ahead][x] * halves_[ahead][lattice_.neighbour(mu, x)], gammas[mu], 2);
      add_whole(sum, halves_[behind][lattice_.neighbour(opposite(mu), x)], gammas[mu], 0);
    }
    out[x] = sum;
  }
}

void WilsonQuark::step(const Field<Wilson>& in, Field<Wilson>& out) {
  hop(in, odd_, 1);
  hop(odd_, out, 0);
  for (int x = lattice_.first(0); x < lattice_.past(0); ++x) out[x] = in[x] + -(kappa * kappa) * out[x];
}

void WilsonQuark::apply(Field<Wilson>& in, Field<Wilson>& out) {
  step(in, middle_);
  gamma5(lattice_, middle_);  // M^dagger = gamma5 M gamma5
  step(middle_, out);
  gamma5(lattice_, out);
}

}  // namespace lattice
