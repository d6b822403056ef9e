// bench/links/nodes.hpp: what messages between two nodes take: the MPI library's own in one piece, and those over libfabric.
// Two ranks, one on each. Prints JSON lines.
//
// The first line has the provider of the fabric, and the operations of "gathered". Then each measurement has a line, with the
// lower quartile of us, one way: "message" (64 KiB) and "message long" (1 MiB); "fabric" (64 KiB in blocks of 8 KiB by BC-SPUP,
// one segment), "fabric cut" (in 8 segments) and "fabric long" (1 MiB in 8 segments); "packed" and "gathered" (8 KiB in 128
// blocks, by BC-SPUP and RWG-UP).
#pragma once

#include <string>

namespace heddle::bench::links {

struct BetweenNodes {
  std::string provider = "auto";  ///< Of libfabric; auto: the fastest there is.
  bool one_node = false;          ///< One machine plays both nodes.
  bool quick = false;
};

/// Collective. std::runtime_error: no fabric between them, or both ranks on one node.
void measure_between_nodes(const BetweenNodes& options);

}  // namespace heddle::bench::links
