// select/collective/links.hpp: the costs of a message between ranks, within a node and between
// nodes.
//
// After LogGP (Alexandrov et al. 1995): L is `latency`, o at both ends is `message`, G is `byte`.
#pragma once

#include <array>

namespace heddle::select {

/// ns.
struct Link {
  double latency;  ///< A small message: from the call on one side to its return on the other.
  double message;  ///< Each further message under way at the same time: the work of sender and receiver.
  double byte;     ///< Each byte of a long message.

  bool operator==(const Link&) const = default;
};

struct Links {
  Link node;
  Link network;
  double copy;   ///< A byte that a rank on the way copies from one bundle into the next.
  double block;  ///< A block in a bundle: its heading is written, read and sorted.
  // More ranks than cores; waiting ranks give way:
  double turn;     ///< The core changes to the next rank. Each round waits for this.
  double shared;   ///< A message, instead of `node.message`.
  double regroup;  ///< Additional time of a round that regroups blocks: it waits for them, looks through them and packs them.

  bool operator==(const Links&) const = default;
};

/// The built-in costs. They must be equal on all ranks, because ranks must choose alike. Ranks
/// agree on other costs before they use them. The machine's profile (profile.hpp) has the costs of
/// a host that `heddle tune` measures.
///
/// `node` is for two ranks on two cores. It lies between the medians of MPICH 5.0.2 (0.7 to 0.85
/// us, 0.57 us, 80 us a MiB) and those of Open MPI 5.0.11 (0.1 to 0.5 us, 0.06 us, 79 us a MiB).
/// `network` is the Cray Gemini of the simulations of Schliephake and Laure's benchmark. It has 4.7
/// GB/s, 0.9 us to send and 0.5 us to receive, and a few hops of 105 ns. The costs of shared cores
/// are by heddle tune on two cores. MPICH's ranks sleep 15 us to give way, as its launcher sets
/// them. `copy` and `block` are estimates.
constexpr Links builtin_links{
    .node = {.latency = 600, .message = 300, .byte = 0.076},
    .network = {.latency = 1800, .message = 1400, .byte = 0.213},
    .copy = 0.05,
    .block = 20,
    .turn = 1500,
    .shared = 300,
    .regroup = 0,
};

/// Links with a host's own costs on a node. Hosts differ by a factor of ten for many messages.
/// These links are for choices within one job, because all its ranks have the same host.
constexpr Links with_node(double latency, double message, double turn, double shared, double regroup) {
  Links links = builtin_links;
  links.node.latency = latency;
  links.node.message = message;
  links.turn = turn;
  links.shared = shared;
  links.regroup = regroup;
  return links;
}
constexpr Links mpich_links = with_node(780, 570, 30'000, 28'000, 0);
constexpr Links openmpi_links = with_node(300, 60, 2500, 600, 3000);

/// Every number of `of`.
inline std::array<double*, 11> numbers_of(Links& of) noexcept {
  return {&of.node.latency, &of.node.message, &of.node.byte, &of.network.latency, &of.network.message, &of.network.byte,
          &of.copy,         &of.block,        &of.turn,      &of.shared,          &of.regroup};
}

/// Replaces each number by the result of a reduction over ranks. If the reduction fails, no number
/// changes.
/// @param over_ranks  bool(const double* mine, double* all, int numbers)
template <class OverRanks>
void reduce(Links& links, OverRanks over_ranks) {
  const auto places = numbers_of(links);
  std::array<double, places.size()> mine{};
  std::array<double, places.size()> all{};
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = *places[i];
  if (!over_ranks(mine.data(), all.data(), static_cast<int>(mine.size()))) return;
  for (std::size_t i = 0; i < all.size(); ++i) *places[i] = all[i];
}

}  // namespace heddle::select
