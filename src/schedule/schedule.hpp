// schedule/schedule.hpp: who sends what to whom, and when: a collective as data. No MPI. May include: ranks.hpp, pieces.hpp,
// few.hpp.
//
//   const Algorithm& way = *find(alltoallv(), "crystal");
//   const Place place{.ranks = ranks, .radix = 4};
//   for (Count k = 0; k < way.rounds(place); ++k) {
//     const Round round = way.round(place, me, k);            // random access, O(log P) time at most, no memory
//     for (const Receive& one : round.receives) ...           // post, and start the sends:
//     for (const Send& one : round.sends) ...                 // all of a round is under way together
//   }                                                         // the next one begins when the receives of this one are there
//
// What a schedule promises, for every number of ranks (tests/schedule):
// - A send to `to` in round k has one receive from this rank in round k of `to`, with equal `what` and `part`, and the
//   other way round. Two messages of one pair in one round come in the same order on both sides. So no tags are needed, and
//   no order in which ranks get on can make one wait for ever.
// - Allgatherv: `what` are origins. Their blocks are with the sender when the round begins, and come to each rank once.
// - Alltoallv: `what` are destinations: all that the sender holds for them, its own and what earlier rounds brought it.
//   What came in, for whom and from whom, only its sender knows: bundles say it in their heading. Each block comes to its
//   destination.
// - rounds() is the same on all ranks; a rank may have nothing to do in a round.
// Messages without a byte need not be sent where both sides know it: Allgatherv always, Alltoallv if `independent`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "schedule/few.hpp"
#include "schedule/pieces.hpp"
#include "schedule/ranks.hpp"

namespace heddle::schedule {

using Count = std::int64_t;
using Bytes = std::int64_t;

/// Where a schedule runs. Equal on all ranks.
struct Place {
  Rank ranks = 1;
  int radix = 2;                   ///< Of those that have one: 2 ... most_radix (crystal: most_split).
  Rank reach = 0;                  ///< Bruck: nobody is further away from whom it sends to, around the ring; 0: not known.
  Rank stride = 1;                 ///< Bruck with a reach: divides all distances; what it does not divide is not taken.
  int channels = 1;                ///< Into how many messages crystal splits a bundle: (radix - 1) * channels <= most / 2.
  const Nodes* nodes = nullptr;    ///< Needed by algorithms `by_node`.
  const Pieces* pieces = nullptr;  ///< How the pipelined ring cuts blocks; null: not at all.
};

constexpr std::size_t most = 16;  ///< Messages of a round, each way.
constexpr int most_radix = most + 1;
constexpr int most_split = most / 2 + 1;

/// Which piece of each block, or of the bundle: the index-th `of` so many.
struct Segment {
  Count index;
  Count of;
  bool operator==(const Segment&) const = default;
};
constexpr Segment whole{0, 1};

struct Window {
  Bytes begin, end;
  bool operator==(const Window&) const = default;
};
/// The bytes of a block that a segment is: `length` of them (Pieces::length), the last one what is left.
constexpr Window window(const Segment& part, Bytes block, Bytes length) noexcept {
  return {std::min(block, part.index * length), part.index + 1 == part.of ? block : std::min(block, (part.index + 1) * length)};
}
/// Of a bundle that travels over several channels: an equal part.
constexpr Window window(const Segment& part, Bytes bundle) noexcept {
  return window(part, bundle, (bundle + part.of - 1) / part.of);
}

struct Send {
  Rank to;
  Ranks what;
  Segment part;
};
struct Receive {
  Rank from;
  Ranks what;
  Segment part;
};
struct Round {
  Few<Send, most> sends;
  Few<Receive, most> receives;

  void send(Rank to, const Ranks& what, Segment part = whole) noexcept { sends.push({to, what, part}); }
  void receive(Rank from, const Ranks& what, Segment part = whole) noexcept { receives.push({from, what, part}); }
  [[nodiscard]] bool idle() const noexcept { return sends.empty() && receives.empty(); }
};

struct Algorithm {
  std::string_view name;
  std::string_view description;
  std::string_view when;  ///< It is good.

  /// Null: no schedule but a protocol of the engine.
  Count (*rounds)(const Place& place) = nullptr;
  Round (*round)(const Place& place, Rank rank, Count k) = nullptr;

  bool independent =
      false;  ///< No round sends what another one brought: as many may be under way, in whatever order, as one likes.
  bool by_node = false;  ///< Needs Place::nodes.
};

/// One table for each collective; src/schedule/tables.cpp.
std::span<const Algorithm* const> allgatherv() noexcept;
std::span<const Algorithm* const> alltoallv() noexcept;
std::span<const Algorithm* const> exchange() noexcept;

/// Null: there is none of this name.
const Algorithm* find(std::span<const Algorithm* const> table, std::string_view name) noexcept;

/// Rounds of doubling until `reach` covers `ranks`: ceil(log_radix(ranks)), 0 for one rank.
constexpr int logarithm(Rank ranks, int radix = 2) noexcept {
  int rounds = 0;
  for (std::int64_t reach = 1; reach < ranks; reach *= radix) ++rounds;
  return rounds;
}

/// Rounds of the crystal router that take what goes from one rank to another further, and those of them in which it leaves a
/// node. Few for neighbours in rank, for others all but the radix-th part of the rounds, on average.
struct Hops {
  int all = 0;
  int far = 0;  ///< 0 without Place::nodes.
};
/// O(log P).
Hops crystal_hops(const Place& place, Rank from, Rank to) noexcept;

/// Rounds of Bruck's if that is all it needs to take whoever is so near; 0: the whole ring takes no more.
constexpr int bruck_digits(const Place& place) noexcept {
  int digits = 1;
  for (std::int64_t beyond = place.stride; beyond <= place.reach; beyond *= 2) ++digits;
  return place.reach > 0 && (std::int64_t{place.stride} << digits) < place.ranks ? digits : 0;
}
/// Whether it takes what goes from one rank to another.
constexpr bool bruck_takes(const Place& place, Rank from, Rank to) noexcept {
  const int digits = bruck_digits(place);
  if (digits == 0) return true;
  const std::int64_t half = (std::int64_t{place.stride} << digits) / 2;
  const Rank away = around(std::int64_t{to} - from + half, place.ranks);
  return away < 2 * half && away % place.stride == 0;
}

}  // namespace heddle::schedule
