// select/collective/estimate.hpp: what a schedule takes by LogGP, all ranks walked round by round. May include: way.hpp.
//
//   estimate_allgatherv({.algorithm = &schedule::allgatherv_ring}, {.ranks = 48}, volumes)           // ns
//
// Slower and nearer to the truth than the loads that choose.hpp goes by: each message has its own volume, its own way, and
// what it waits for. For tests, `heddle explain` and simulation: O(P · rounds · messages of one) time, O(P) memory beside the
// data.
#pragma once

#include <span>
#include <vector>

#include "select/collective/way.hpp"

namespace heddle::select {

/// The collective's last rank is done after so many ns. `volumes[origin]` bytes; crowding is not looked at. Ranks stand on
/// `nodes`, or all on one.
double estimate_allgatherv(const Way& way, const Where& where, std::span<const Bytes> volumes,
                           const schedule::Nodes* nodes = nullptr);

struct Flow {
  Rank to;
  Bytes bytes;
};
/// `flows[origin]`: what it sends to whom, each destination once.
double estimate_alltoallv(const Way& way, const Where& where, std::vector<std::vector<Flow>> flows,
                          const schedule::Nodes* nodes = nullptr);

}  // namespace heddle::select
