// select/collective/decide.hpp: the decision about a collective: the choice of the model
// (choose_collective.hpp), the cases before the model, and the reason if the decision is not the
// least time. Pure.
//
//   const Decision decision = decide_alltoallv(facts, "auto");
//   if (!decision.choice.algorithm) ...                             // the MPI library carries out the call
//   puts(because(decision, candidates_alltoallv(facts)).c_str());      // empty: no choice takes less
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "select/collective/choose_collective.hpp"

namespace heddle::select {

enum class Reason : std::uint8_t {
  least,      ///< No candidate takes less by the model.
  simpler,    ///< A more complicated candidate takes less, but within the error of the model (quickest()).
  wanted,     ///< A HEDDLE_ variable or a hint asks for the algorithm.
  little,     ///< A gather of so few bytes is not worth a choice.
  by_sum,     ///< The library's own algorithm is as good (sum_will_do()).
  mailboxes,  ///< Blocks go without messages (all_in_mailboxes()).
  few_ranks,  ///< So few ranks use no bundles (Cadence::least_ranks).
  typical,    ///< The algorithm of exchanges is chosen once, for a typical exchange (typical_exchange()).
};

struct Decision {
  Candidate choice{};  ///< Null algorithm: the MPI library's own.
  Reason reason = Reason::least;
};

/// Heddle chooses if the sum of all blocks is at least this, in bytes. Below it, only the latencies
/// of a few messages count, and hosts choose well. Open MPI is an exception if ranks share cores.
/// With 4 and 8 ranks it takes 1.75 to 1.95 times as long as Heddle's choice. With 17 ranks it
/// takes as long. With 2 ranks and a core for each it takes 0.6 times as long.
/// @param slow_host  The library gathers few bytes slowly: Open MPI.
Bytes worth_gathering(const Where& where, bool slow_host) noexcept;
/// That sum for a library that is not slow, and for two ranks with any library.
constexpr Bytes worth_gathering_anywhere = 4 << 10;

/// @param wanted  auto, native, or an algorithm's name.
Decision decide_allgatherv(const AllgathervFacts& facts, std::string_view wanted);

Decision decide_alltoallv(const AlltoallvFacts& facts, std::string_view wanted);

/// The facts of a typical exchange, because no rank knows all partners: 26 partners and a KiB for
/// each, as in Schliephake and Laure 2013.
AlltoallvFacts typical_exchange(const Where& where) noexcept;
/// Chooses for a typical_exchange(), because Heddle does not know the volumes at that time. `facts`
/// give the costs of candidates.
Decision decide_exchange(const AlltoallvFacts& facts, std::string_view wanted);

/// The reason why the decision is not the fastest of `candidates`. Empty: it is the fastest, or as
/// fast.
/// @param said  The setting that asks for an algorithm: "HEDDLE_ALLTOALLV=crystal".
std::string because(const Decision& decision, const Candidates& candidates, std::string_view said = {});

/// The candidate with the least time by the model.
const Candidate& least(const Candidates& candidates) noexcept;

}  // namespace heddle::select
