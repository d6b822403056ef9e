// select/collective/volume_shares.hpp: the numbers about volumes that ranks must exchange to choose
// alike. The engine decides when and how to reduce them.
//
//   Share mine = share_of(me, where, nodes, to, from);         // of one call, O(P + partners · log P)
//   ... reduce all ranks' shares, with `joined` as the operation (commutative and associative) ...
//   const AlltoallvFacts facts = agreed(all, where);           // the same on all ranks
//   choose_alltoallv(facts); digest(choice);                      // a number to compare: did all ranks choose alike?
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "schedule/nodes.hpp"
#include "schedule/ranks.hpp"
#include "select/collective/choose_collective.hpp"

namespace heddle::select {

/// The numbers of a rank. Some are reduced by sum, most others by maximum. Arrays have an entry for
/// each radix of bundles.
struct Share {
  // By sum.
  std::int64_t partners = 0, bytes = 0, leaving = 0, ones = 0, behind = 0;
  std::array<std::int64_t, radices.size()> hops{}, far{};  ///< Times bytes.
  // By maximum.
  std::int64_t most_partners = 0, most_sent = 0, most_received = 0, largest = 0, reach = 0;
  std::array<std::int64_t, radices.size()> travels{};  ///< Hops times bytes.
  // By greatest common divisor.
  std::int64_t stride = 0;  ///< Divides all distances around the ring; 0: there are none.

  /// Adds bytes from `me` to `to`. `stride` divides their distance. Null `nodes`: one node.
  void send(Rank me, Rank to, Bytes sent, Rank ranks, const schedule::Nodes* nodes) noexcept;
  void receive(Bytes received) noexcept { most_received += received; }

  bool operator==(const Share&) const = default;
};

/// Joins two shares: the operation of the reduction.
Share joined(const Share& one, const Share& other) noexcept;

/// The distance around the ring, the shorter way.
constexpr Rank distance(Rank from, Rank to, Rank ranks) noexcept {
  const Rank ahead = schedule::around(std::int64_t{to} - from, ranks);
  return std::min(ahead, ranks - ahead);
}

/// The share of one rank. `to(rank)` and `from(rank)` are bytes of the signature. Null `nodes`: one
/// node.
template <class To, class From>
Share share_of(Rank me, const Where& where, const schedule::Nodes* nodes, const To& to, const From& from) {
  Share share;
  for (Rank rank = 0; rank < where.ranks && share.stride != 1; ++rank)
    if (rank != me && to(rank) > 0) share.stride = std::gcd(share.stride, distance(me, rank, where.ranks));
  for (Rank rank = 0; rank < where.ranks; ++rank) {
    if (rank == me) continue;
    share.send(me, rank, to(rank), where.ranks, nodes);
    share.receive(from(rank));
  }
  return share;
}

/// The number of calls of this way that take a hundred times as long as a reduction of all shares.
/// A non-blocking reduction costs hosts more than the model predicts, but it overlaps with the
/// calls. In all it costs less than two hundredths.
std::int64_t calls_for(const Candidate& choice, const Where& where) noexcept;

/// The facts about all ranks.
AlltoallvFacts agreed(const Share& all, const Where& where) noexcept;

/// A number that is equal for equal choices. Ranks compare it to find out if they agree.
std::uint64_t digest(const Candidate& choice) noexcept;

}  // namespace heddle::select
