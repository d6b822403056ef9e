// select/collective/choose_collective.hpp: chooses the algorithm of a collective, and gives the
// reason. Pure: no clock, no globals.
//
//   const AllgathervFacts facts{{.ranks = 64}, spread.of(64, bytes)};
//   const Candidate choice = choose_allgatherv(facts);            // dissemination or so
//   puts(why_allgatherv(facts).c_str());                 // the same in words, with the numbers
//   candidates_allgatherv(facts)                               // all candidates, with their costs
//
// All ranks must choose alike, so all ranks know the facts. Allgatherv's facts are all recvcounts,
// in bytes of the signature. For Alltoallv and exchanges, ranks agree on the facts by a reduction
// of an earlier call's volumes, or at initialization. The choice computes the load of each
// candidate, and its time by LogGP. So a threshold is a point where two costs are equal. Host
// libraries use the sum or the mean of the volumes. Here the largest volume and the spread count
// (Balaji et al. 2007, §4.2).
#pragma once

#include <array>
#include <string>

#include "select/collective/algorithm_load.hpp"
#include "select/collective/volumes.hpp"

namespace heddle::select {

struct AllgathervFacts : Where {
  Volumes volumes;
  bool sum_host = false;   ///< The library chooses by the sum of the volumes: MPICH.
  bool slow_host = false;  ///< The library gathers few bytes slowly: Open MPI (decide.hpp).
};
Candidate choose_allgatherv(const AllgathervFacts& facts);
Candidates candidates_allgatherv(const AllgathervFacts& facts);
std::string why_allgatherv(const AllgathervFacts& facts);

/// The algorithm of a library that chooses by the sum of the volumes, such as MPICH 5. Below 80 KiB
/// it uses Bruck's rounds (at powers of two: recursive doubling, below 512 KiB). Above, it uses a
/// ring in segments of 32 KiB. Heddle compares with it to decide whether to take over a call.
Candidate by_sum_allgatherv(const AllgathervFacts& facts);

/// True if Heddle should leave a call to a library that chooses by the sum. If ranks share cores, a
/// round waits until all ranks had a turn. The library's own rounds take fewer turns (8, 16 and 48
/// ranks on 2 cores: 0.6 to 0.9 of the time with the same algorithm). Heddle never gained below the
/// sum at which the library changes to a ring.
bool sum_will_do(const AllgathervFacts& facts, const Candidate& chosen);

/// The possible radices of bundles.
constexpr std::array radices = {2, 4, 8};

/// The number of hops of bytes in bundles (schedule::crystal_hops). Data that cross the border of
/// two parts meet in few ranks, and the others wait for these. So the rank whose data travel most
/// counts, too.
struct Travel {
  double hops = 0;  ///< Hops of a byte on average; 0: not known.
  double far = 0;   ///< Hops to another node.
  Bytes most = 0;   ///< Hops times bytes of the rank with the most.
};

/// Facts of Alltoallv, Alltoallw and exchanges, per rank, over all ranks that send.
struct AlltoallvFacts : Where {
  double partners = 0;      ///< Partners of a rank, on average.
  Rank most_partners = 0;   ///< Partners of the rank with the most.
  double bytes = 0;         ///< Bytes that a rank sends, on average.
  Bytes most_bytes = 0;     ///< Bytes that the busiest rank sends or receives.
  Bytes largest_block = 0;  ///< Most bytes from one rank to another.
  double leaving = -1;      ///< The part of the bytes for other nodes. Negative: unknown, and destinations count as random.
  Rank reach = 0;           ///< The largest distance of partners around the ring of ranks; 0: not known.
  Rank stride = 1;          ///< Divides all distances around the ring.
  /// A byte makes `ones` hops on average in Bruck's rounds among near ranks, and `behind` more for
  /// each digit of the reach.
  double ones = 0, behind = 0;
  std::array<Travel, radices.size()> travel{};  ///< Travel through crystal, with each radix.
};
Candidate choose_alltoallv(const AlltoallvFacts& facts);
/// True if all blocks are short enough for mailboxes.
bool all_in_mailboxes(const AlltoallvFacts& facts) noexcept;
Candidates candidates_alltoallv(const AlltoallvFacts& facts);
std::string why_alltoallv(const AlltoallvFacts& facts);

/// The choice for exchanges whose receivers do not know the senders.
Candidate choose_exchange(const AlltoallvFacts& facts);
Candidates candidates_exchange(const AlltoallvFacts& facts);
std::string why_exchange(const AlltoallvFacts& facts);

}  // namespace heddle::select
