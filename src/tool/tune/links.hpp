// tool/tune/links.hpp: from times of whole calls to what a message costs in the model that collectives choose by. Pure. May
// include: select/, schedule/.
#pragma once

#include <vector>

#include "select/profile.hpp"

namespace heddle::tool {

/// What bench/links has taken under one MPI library, ns.
struct Taken {
  // Two ranks, a core for each
  double one;      ///< A message of 8 bytes.
  double burst;    ///< 16 of them each way at once.
  double longest;  ///< One of 1 MiB.

  // More ranks than cores, 8 bytes of everybody for everybody; no ranks: not measured
  double pairs = 0;    ///< Alltoallv, pair by pair.
  double bundles = 0;  ///< Alltoallv by the crystal router of radix 2.
  double rounds = 0;   ///< Allgatherv by dissemination.
  double ranks = 0;
  double cores = 0;

  /// A message of `holed_bytes` in blocks of Curve::lengths, with holes as long; none: not measured.
  std::vector<double> holes{};
};

constexpr double holed_bytes = 256 << 10;

/// The numbers in the order of the fields: the first three, or eight, or all sixteen. std::invalid_argument.
Taken taken(const std::vector<double>& numbers);

/// Links whose model (select/collective/way.hpp) takes as long for these calls. What has not been measured is that of
/// `otherwise`.
select::Links fitted(const Taken& taken, const select::Links& otherwise);

/// ns of each byte beside what a message takes however short; not measured: zero.
select::Curve fitted_holes(const Taken& taken);

}  // namespace heddle::tool
