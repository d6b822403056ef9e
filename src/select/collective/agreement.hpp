// select/collective/agreement.hpp: what ranks must tell each other about their volumes to choose
// alike. Pure numbers: who reduces them, and when, is the engine's affair.
//
//   Share mine = share_of(me, where, nodes, to, from);         // of one call, O(P + partners · log P)
//   ... reduce all ranks' shares, with `joined` as the operation (commutative and associative) ...
//   const AlltoallvFacts facts = agreed(all, where);           // the same on all ranks
//   choose_alltoallv(facts); digest(way);                      // a number to compare: did all ranks choose alike?
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "schedule/nodes.hpp"
#include "schedule/ranks.hpp"
#include "select/collective/choose.hpp"

namespace heddle::select {

/// Numbers of which some are reduced by sum, most others by maximum. Arrays: of each radix of bundles.
struct Share {
  // By sum.
  std::int64_t partners = 0, bytes = 0, leaving = 0, ones = 0, behind = 0;
  std::array<std::int64_t, radices.size()> hops{}, far{};  ///< Times bytes.
  // By maximum.
  std::int64_t most_partners = 0, most_sent = 0, most_received = 0, largest = 0, reach = 0;
  std::array<std::int64_t, radices.size()> travels{};  ///< As hops.
  // By greatest common divisor.
  std::int64_t stride = 0;  ///< Of distances around the ring; 0: there are none.

  /// `me` to `to`, at a distance that `stride` divides. `nodes` may be null: one node.
  void send(Rank me, Rank to, Bytes sent, Rank ranks, const schedule::Nodes* nodes) noexcept;
  void receive(Bytes received) noexcept { most_received += received; }

  bool operator==(const Share&) const = default;
};

/// Two shares as one: the operation of the reduction.
Share joined(const Share& one, const Share& other) noexcept;

/// Around the ring, whichever way is shorter.
constexpr Rank distance(Rank from, Rank to, Rank ranks) noexcept {
  const Rank ahead = schedule::around(std::int64_t{to} - from, ranks);
  return std::min(ahead, ranks - ahead);
}

/// All of one rank's. `to(rank)` and `from(rank)` are bytes of the signature. `nodes` may be null: one node.
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

/// In how many calls that go this way a reduction of all shares is one hundredth. It is not blocking, which costs hosts more
/// than the model says, and overlaps with the calls: all in all it takes less than two.
std::int64_t calls_for(const Way& way, const Where& where) noexcept;

/// Of all ranks together.
AlltoallvFacts agreed(const Share& all, const Where& where) noexcept;

/// Equal for equal choices: ranks that compare it find out whether they agree.
std::uint64_t digest(const Way& way) noexcept;

}  // namespace heddle::select
