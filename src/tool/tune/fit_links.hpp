// tool/tune/fit_links.hpp: computes the costs of a message in the model of collectives from times
// of whole calls. Pure.
#pragma once

#include <vector>

#include "select/profile.hpp"

namespace heddle::tool {

/// Times of bench/links under one MPI library, ns.
struct Taken {
  // Two ranks, a core for each
  double one;      ///< A message of 8 bytes.
  double burst;    ///< 16 such messages each way at once.
  double longest;  ///< A message of 1 MiB.

  // More ranks than cores, 8 bytes from each rank to each rank; no ranks: not measured
  double pairs = 0;    ///< Alltoallv, pair by pair.
  double bundles = 0;  ///< Alltoallv by the crystal router of radix 2.
  double rounds = 0;   ///< Allgatherv by dissemination.
  double ranks = 0;
  double cores = 0;

  /// Messages of `holed_bytes` in blocks of Curve::lengths, with holes of the same length. Empty:
  /// not measured.
  std::vector<double> holes{};
};

constexpr double holed_bytes = 256 << 10;

/// Reads numbers in the order of the fields. Those of shared cores may be missing, and those of
/// `holes`. std::invalid_argument.
Taken taken(const std::vector<double>& numbers);

/// Links for which the model (select/collective/algorithm_load.hpp) gives these times. Numbers that
/// are not measured, or less than possible, come from `otherwise`. `kept` has NaN for each of them.
select::Links fitted(const Taken& taken, const select::Links& otherwise, select::Links& kept);

/// ns of each byte, beyond the time of a very short message. Zero if not measured.
select::Curve fitted_holes(const Taken& taken);

}  // namespace heddle::tool
