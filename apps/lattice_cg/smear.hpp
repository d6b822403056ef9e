// lattice_cg/smear.hpp: computes fat links: each link with its six staples. It gathers su3_matrix
// from all eight directions.
//
//       x+nu ──U_mu──▶ x+nu+mu        upper staple   U_nu(x) U_mu(x+nu) U_nu(x+mu)^dagger
//        ▲              │
//       U_nu           U_nu^dagger
//        │              ▼
//        x ──fat_mu──▶ x+mu
#pragma once

#include <vector>

#include "gather.hpp"
#include "lattice.hpp"
#include "su3.hpp"

namespace lattice {

using Links = std::vector<Field<Matrix>>;  // four

/// Computes `fat` on all sites from `thin`. Fills the halo of `thin`.
void smear(const Lattice& lattice, Gathers& gathers, Links& thin, Links& fat);

}  // namespace lattice
