// lattice_cg/smear.hpp: fat links: each link and its six staples, by gathers of su3_matrix in all eight directions.
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

/// `fat`, sites only, from `thin`, whose halo is filled.
void smear(const Lattice& lattice, Gathers& gathers, Links& thin, Links& fat);

}  // namespace lattice
