// bench/links/nodes.hpp: times messages between two ranks on two nodes: contiguous ones by the MPI
// library, and others over libfabric. Prints JSON lines.
//
// The first line has the provider of the fabric, and the operations of "gathered". Then each
// measurement has a line with the lower quartile of the times one way, in us:
//   message        64 KiB by the library            message long   1 MiB by the library
//   fabric         64 KiB in blocks of 8 KiB by BC-SPUP, in one segment
//   fabric cut     the same in 8 segments           fabric long    1 MiB in 8 segments
//   packed         8 KiB in 128 blocks by BC-SPUP   gathered       the same by RWG-UP
#pragma once

#include <string>

namespace heddle::bench::links {

struct BetweenNodes {
  std::string provider = "auto";  ///< A provider of libfabric. "auto": the fastest available.
  bool one_node = false;          ///< One machine plays both nodes.
  bool quick = false;
};

/// Collective. Throws std::runtime_error if there is no fabric between the ranks, or if both are on
/// one node.
void measure_between_nodes(const BetweenNodes& options);

}  // namespace heddle::bench::links
