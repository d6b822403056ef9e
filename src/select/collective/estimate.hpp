// select/collective/estimate.hpp: the time of a schedule by LogGP, with all ranks walked round by
// round.
//
//   estimate_allgatherv({.algorithm = &schedule::allgatherv_ring}, {.ranks = 48}, volumes)           // ns
//
// This is slower than the loads of choose_collective.hpp, and nearer to the truth: each message has
// its own volume, way and wait. It serves tests, `heddle explain` and simulation. It takes O(P ·
// rounds · messages of a rank) time, and O(P) memory beside the data.
#pragma once

#include <span>
#include <vector>

#include "select/collective/algorithm_load.hpp"

namespace heddle::select {

/// The ns until the collective's last rank is done. `volumes[origin]`: bytes. Crowding does not
/// count. Null `nodes`: one node.
double estimate_allgatherv(const Candidate& choice, const Where& where, std::span<const Bytes> volumes,
                           const schedule::Nodes* nodes = nullptr);

struct Flow {
  Rank to;
  Bytes bytes;
};
/// `flows[origin]`: the destinations of a rank with their bytes, each destination once.
double estimate_alltoallv(const Candidate& choice, const Where& where, std::vector<std::vector<Flow>> flows,
                          const schedule::Nodes* nodes = nullptr);

}  // namespace heddle::select
