// schedule/schedule.hpp: a collective as data: its messages, round by round. No MPI.
//
//   const Algorithm& way = *find(alltoallv(), "crystal");
//   const Place place{.ranks = ranks, .radix = 4};
//   for (Count k = 0; k < way.rounds(place); ++k) {
//     const Round round = way.round(place, me, k);            // random access, O(log P) time at most, no memory
//     for (const Receive& one : round.receives) ...           // post, and start the sends:
//     for (const Send& one : round.sends) ...                 // all messages of a round are under way together
//   }                                                         // the next round begins when these receives are complete
//
// A schedule promises, for every number of ranks (tests/schedule):
// - A send to `to` in round k has one receive from this rank in round k of `to`, with equal `what`
//   and `part`, and the other way round. Two messages of one pair in one round have the same order
//   on both sides. So no tags are needed, and no order of progress can make a rank wait for ever.
// - Allgatherv: `what` are origins. The sender has their blocks when the round begins. Each rank
//   gets a block once.
// - Alltoallv: `what` are destinations. The sender sends all blocks that it holds for them: its own
//   blocks, and blocks of earlier rounds. Only the sender knows destinations and origins, so
//   bundles name them in their heading. Each block reaches its destination.
// - rounds() is the same on all ranks. A rank may have no messages in a round.
// Empty messages need not be sent if both sides know that they are empty: Allgatherv always,
// Alltoallv if `independent`.
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
  int radix = 2;                   ///< The radix of algorithms that have one: 2 ... most_radix (crystal: most_split).
  Rank reach = 0;                  ///< Bruck: the largest distance of partners around the ring; 0: not known.
  Rank stride = 1;                 ///< Bruck with a reach: divides all distances. Other distances are not travelled.
  int channels = 1;                ///< Crystal splits a bundle into so many messages: (radix - 1) * channels <= most / 2.
  const Nodes* nodes = nullptr;    ///< Needed by algorithms `by_node`.
  const Pieces* pieces = nullptr;  ///< The cuts of blocks for the pipelined ring; null: no cuts.
};

constexpr std::size_t most = 16;  ///< Messages of a round, each way.
constexpr int most_radix = most + 1;
constexpr int most_split = most / 2 + 1;

/// The piece of each block or of the bundle that travels: the index-th of `of` pieces.
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
/// The bytes of a segment of a block: `length` bytes (Pieces::length), or the rest for the last
/// segment.
constexpr Window window(const Segment& part, Bytes block, Bytes length) noexcept {
  return {std::min(block, part.index * length), part.index + 1 == part.of ? block : std::min(block, (part.index + 1) * length)};
}
/// An equal part of a bundle that travels over several channels.
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
  std::string_view when;  ///< The cases that it is good for.

  /// Null: the algorithm is a protocol of the engine, without a schedule.
  Count (*rounds)(const Place& place) = nullptr;
  Round (*round)(const Place& place, Rank rank, Count k) = nullptr;

  bool independent = false;  ///< No round sends data of another round: any number of rounds may be under way, in any order.
  bool by_node = false;      ///< Needs Place::nodes.
};

/// A table for each collective; src/schedule/tables.cpp.
std::span<const Algorithm* const> allgatherv() noexcept;
std::span<const Algorithm* const> alltoallv() noexcept;
std::span<const Algorithm* const> exchange() noexcept;

/// The algorithm of this name. Null: there is none.
const Algorithm* find(std::span<const Algorithm* const> table, std::string_view name) noexcept;

/// Rounds of doubling until `reach` covers `ranks`: ceil(log_radix(ranks)), 0 for one rank.
constexpr int logarithm(Rank ranks, int radix = 2) noexcept {
  int rounds = 0;
  for (std::int64_t reach = 1; reach < ranks; reach *= radix) ++rounds;
  return rounds;
}

/// Rounds of the crystal router in which data from one rank to another move, and the rounds in
/// which they leave a node. Data for neighbours in rank move in few rounds. Other data move on
/// average in all but the radix-th part of the rounds.
struct Hops {
  int all = 0;
  int far = 0;  ///< 0 without Place::nodes.
};
/// O(log P).
Hops crystal_hops(const Place& place, Rank from, Rank to) noexcept;

/// The rounds that Bruck's algorithm needs for partners within `reach`. 0: the whole ring needs no
/// more rounds.
constexpr int bruck_digits(const Place& place) noexcept {
  int digits = 1;
  for (std::int64_t beyond = place.stride; beyond <= place.reach; beyond *= 2) ++digits;
  return place.reach > 0 && (std::int64_t{place.stride} << digits) < place.ranks ? digits : 0;
}
/// True if the algorithm carries data from one rank to another.
constexpr bool bruck_takes(const Place& place, Rank from, Rank to) noexcept {
  const int digits = bruck_digits(place);
  if (digits == 0) return true;
  const std::int64_t half = (std::int64_t{place.stride} << digits) / 2;
  const Rank away = around(std::int64_t{to} - from + half, place.ranks);
  return away < 2 * half && away % place.stride == 0;
}

}  // namespace heddle::schedule
