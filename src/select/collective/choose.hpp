// select/collective/choose.hpp: which algorithm a collective takes, and why. Pure: no clock, no globals. May include: way.hpp,
// volumes.hpp.
//
//   const AllgathervFacts facts{{.ranks = 64}, spread.of(64, bytes)};
//   const Way way = choose_allgatherv(facts);            // dissemination or so
//   puts(why_allgatherv(facts).c_str());                 // the same in words, with the numbers
//   ways_allgatherv(facts)                               // all that it was chosen from, with their costs
//
// Every rank must choose alike, so facts are what all ranks know: of Allgatherv every recvcount, in bytes of the signature; of
// Alltoallv and exchanges what has been agreed on (by a reduction of an earlier call's volumes, or at initialization).
// Each candidate's load is worked out, and what it takes by LogGP: thresholds are where two costs meet. Host libraries go by
// the sum or the mean of the volumes; here the largest and the spread count (Balaji et al. 2007, §4.2).
#pragma once

#include <array>
#include <string>

#include "select/collective/volumes.hpp"
#include "select/collective/way.hpp"

namespace heddle::select {

struct AllgathervFacts : Where {
  Volumes volumes;
  bool sum_host = false;   ///< The library goes by the sum of the volumes: MPICH.
  bool slow_host = false;  ///< It is slow to gather little: Open MPI (decide.hpp).
};
Way choose_allgatherv(const AllgathervFacts& facts);
Ways ways_allgatherv(const AllgathervFacts& facts);
std::string why_allgatherv(const AllgathervFacts& facts);

/// What a library takes that goes by the sum of the volumes: MPICH 5, with Bruck's rounds under 80 KiB (recursive doubling
/// under 512 KiB at powers of two), and a ring in segments of 32 KiB above. For whoever decides whether a call is worth taking
/// over.
Way by_sum_allgatherv(const AllgathervFacts& facts);

/// Whether a library that goes by the sum is left to it, which Heddle's choice must be worth: where ranks share cores a
/// round waits for everybody's turn, and the library's own rounds take fewer of them (8, 16 and 48 ranks on 2 cores: the same
/// algorithm 0.6 to 0.9 of the time). Up to the sum at which it changes to a ring nothing was ever won.
bool sum_will_do(const AllgathervFacts& facts, const Way& chosen);

/// Of bundles, from which is chosen.
constexpr std::array radices = {2, 4, 8};

/// How often bytes go from rank to rank in bundles (schedule::crystal_hops). What crosses the border of two parts meets in few
/// ranks, for which the others wait: so the one that sends what travels most counts, too.
struct Travel {
  double hops = 0;  ///< Of a byte, on average; 0: not known.
  double far = 0;   ///< These of them to another node.
  Bytes most = 0;   ///< Hops times bytes of the rank for which it is most.
};

/// Alltoallv, Alltoallw, exchange. Per rank, over all that send.
struct AlltoallvFacts : Where {
  double partners = 0;      ///< With something to say to each other, on average.
  Rank most_partners = 0;   ///< Of the rank that has most.
  double bytes = 0;         ///< Sent, on average.
  Bytes most_bytes = 0;     ///< Sent or received by the rank that has most.
  Bytes largest_block = 0;  ///< From one rank to another.
  double leaving = -1;      ///< Of the bytes, for another node; negative: not known, destinations are taken to be anywhere.
  Rank reach = 0;           ///< Around the ring of ranks, of the two furthest from each other; 0: not known.
  Rank stride = 1;          ///< Divides all distances around the ring.
  /// Of Bruck's rounds among near ranks: a byte makes `ones` hops on average, and `behind` more for each digit of the reach.
  double ones = 0, behind = 0;
  std::array<Travel, radices.size()> travel{};  ///< Through crystal, with each radix.
};
Way choose_alltoallv(const AlltoallvFacts& facts);
/// Of what could be bundled.
bool all_in_mailboxes(const AlltoallvFacts& facts) noexcept;
Ways ways_alltoallv(const AlltoallvFacts& facts);
std::string why_alltoallv(const AlltoallvFacts& facts);

/// Who sends is not known to those who receive.
Way choose_exchange(const AlltoallvFacts& facts);
Ways ways_exchange(const AlltoallvFacts& facts);
std::string why_exchange(const AlltoallvFacts& facts);

}  // namespace heddle::select
