// select/collective/agreement.hpp: what ranks must tell each other about their volumes to choose alike. Pure numbers: who
// reduces them, and when, is the engine's affair. May include: choose.hpp, schedule/.
//
//   Share mine = share_of(me, where, nodes, to, from);         // of one call, O(P + partners · log P)
//   ... reduce all ranks' shares, with `joined` as the operation (commutative and associative) ...
//   const AlltoallvFacts facts = agreed(all, where);           // the same on all ranks
//   choose_alltoallv(facts); digest(way);                      // a number to compare: did all ranks choose alike?
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "schedule/nodes.hpp"
#include "select/collective/choose.hpp"

namespace heddle::select {

/// Eight numbers, as they are reduced: the first four by sum, the others by maximum.
struct Share {
  static constexpr std::size_t sums = 4;
  std::array<std::int64_t, 8> numbers{};

  void send(Bytes bytes, bool leaves, int hops) noexcept {
    if (bytes <= 0) return;
    numbers[0] += 1;
    numbers[1] += bytes;
    numbers[2] += leaves ? bytes : 0;
    numbers[3] += hops * bytes;
    numbers[4] += 1;
    numbers[5] += bytes;
    numbers[7] = std::max(numbers[7], bytes);
  }
  void receive(Bytes bytes) noexcept { numbers[6] += bytes; }

  bool operator==(const Share&) const = default;
};

/// Two shares as one: the operation of the reduction.
Share joined(const Share& one, const Share& other) noexcept;

/// All of one rank's. `to(rank)` and `from(rank)` are bytes of the signature. `nodes` may be null: one node.
template <class To, class From>
Share share_of(Rank me, const Where& where, const schedule::Nodes* nodes, const To& to, const From& from) {
  Share share;
  const schedule::Place place{.ranks = where.ranks};
  for (Rank rank = 0; rank < where.ranks; ++rank) {
    if (rank == me) continue;
    if (const Bytes bytes = to(rank); bytes > 0)
      share.send(bytes, nodes != nullptr && nodes->of(rank) != nodes->of(me), schedule::crystal_hops(place, me, rank));
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
