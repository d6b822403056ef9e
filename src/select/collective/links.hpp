// select/collective/links.hpp: what a message costs between ranks, within a node and between nodes. May include nothing of
// Heddle.
//
// After LogGP (Alexandrov et al. 1995): L is `latency`, o at both ends is `message`, G is `byte`.
#pragma once

namespace heddle::select {

/// ns.
struct Link {
  double latency;  ///< A small message: from the call on one side to its return on the other.
  double message;  ///< Each further one under way at the same time: what sender and receiver do for it.
  double byte;     ///< Each byte of a long one.
};

struct Links {
  Link node;
  Link network;
  double copy;   ///< A byte that a rank on the way puts from one bundle into the next.
  double block;  ///< A block in a bundle: its heading is written, read and sorted.
  double turn;   ///< More ranks than cores: the core goes to the next rank.
};

/// Equal on all ranks, or they would not choose alike: who uses another one has agreed on it.
///
/// Node: two ranks on two cores, medians of MPICH 5.0.2 (0.7 to 0.85 us, 0.57 us, 80 us a MiB) and Open MPI 5.0.11 (0.1 to 0.5
/// us, 0.06 us, 79 us a MiB). Network: Cray Gemini as the simulations of Schliephake and Laure's benchmark have it: 4.7 GB/s,
/// 0.9 us to send and 0.5 us to receive, a few hops of 105 ns. Turn: 16 ranks on two cores under Open MPI with yielding take 59
/// us for 4 rounds of Sendrecv, 155 us for 15, 21 us for 2 messages at a time; the model says 58, 216 and 17. Copy and block:
/// estimates.
constexpr Links builtin_links{
    .node = {.latency = 600, .message = 300, .byte = 0.076},
    .network = {.latency = 1800, .message = 1400, .byte = 0.213},
    .copy = 0.05,
    .block = 20,
    .turn = 1500,
};

/// With what each host takes for a message on a node: they differ by ten where messages are many. For choices of one job, whose
/// ranks have one host.
constexpr Links with_node(double latency, double message) {
  Links links = builtin_links;
  links.node.latency = latency;
  links.node.message = message;
  return links;
}
constexpr Links mpich_links = with_node(780, 570);
constexpr Links openmpi_links = with_node(300, 60);

}  // namespace heddle::select
