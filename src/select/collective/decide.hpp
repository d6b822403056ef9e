// select/collective/decide.hpp: what becomes of a collective: what is chosen by the model (choose.hpp), what goes before the
// model, and why the answer is not the one that takes least. Pure. May include: choose.hpp.
//
//   const Decision decision = decide_alltoallv(facts, "auto");
//   if (!decision.way.algorithm) ...                             // it is left to the MPI library
//   puts(because(decision, ways_alltoallv(facts)).c_str());      // empty: nothing takes less
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "select/collective/choose.hpp"

namespace heddle::select {

enum class Reason : std::uint8_t {
  least,      ///< Nothing takes less by the model.
  simpler,    ///< Another takes less, by so little that the model cannot tell, and is more complicated (quickest()).
  wanted,     ///< A HEDDLE_ variable or a hint says so.
  little,     ///< A gather of so few bytes is not worth a choice.
  by_sum,     ///< The library's own is as good (sum_will_do()).
  mailboxes,  ///< Blocks go without messages (all_in_mailboxes()).
  few_ranks,  ///< For so few there are no bundles (Cadence::least_ranks).
  typical,    ///< An exchange is chosen once, by what exchanges are like (typical_exchange()).
};

struct Decision {
  Way way{};  ///< Null algorithm: the MPI library's own.
  Reason reason = Reason::least;
};

/// Bytes of all blocks from which Heddle chooses. Below, a few messages' latencies are all there is, and hosts do not choose
/// badly: but for Open MPI where ranks share cores, on 4 and 8 of them 1.75 to 1.95 times as long as what is chosen here (on 17
/// as long, on 2 with a core each 0.6 of it).
/// @param slow_host  The library is slow to gather little: Open MPI.
Bytes worth_gathering(const Where& where, bool slow_host) noexcept;
/// The same of a library that is not slow, or of two ranks, wherever they are.
constexpr Bytes worth_gathering_anywhere = 4 << 10;

/// @param wanted  auto, native, or an algorithm's name.
Decision decide_allgatherv(const AllgathervFacts& facts, std::string_view wanted);

Decision decide_alltoallv(const AlltoallvFacts& facts, std::string_view wanted);

/// Of what such exchanges are like: who sends to whom is nobody's knowledge. Schliephake and Laure 2013: 26 partners; a KiB for
/// each.
AlltoallvFacts typical_exchange(const Where& where) noexcept;
/// The choice is that of typical_exchange(), since Heddle does not know the volumes when it chooses. `facts` say what each
/// candidate costs.
Decision decide_exchange(const AlltoallvFacts& facts, std::string_view wanted);

/// Why it is not the first of `ways` by their times; empty: it is, or takes as long.
/// @param said  By whom something is wanted: "HEDDLE_ALLTOALLV=crystal".
std::string because(const Decision& decision, const Ways& ways, std::string_view said = {});

/// The one that takes least by the model.
const Way& least(const Ways& ways) noexcept;

}  // namespace heddle::select
