// engine/exchange/choice.hpp: chooses the algorithm of a blocking collective of a communicator,
// from the user's wishes and the agreement of its ranks. All ranks choose the same.
//
//   const Choice choice = choice_of_equal_blocks(own.algorithms(), bytes, straight_from);
//   if (choice.trial && own.library(*choice.trial, timed, choice.next)) ...        // the library's, by a trial
//   if (!choice.candidate.algorithm) ...                                           // the library's
#pragma once

#include <optional>
#include <span>

#include "engine/base/arguments.hpp"
#include "engine/collective/algorithm_choice.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::engine {

/// Blocks of MPI_Alltoall of at least so many bytes go from rank to rank. Hosts bundle shorter
/// ones. The size is the same on all ranks.
constexpr layout::Bytes equal_blocks_from = 4 << 10;

/// A choice. A trial of such calls may give the call to the library instead.
struct Choice {
  select::Candidate candidate;                    ///< Null algorithm: the library's.
  std::optional<TrialKind> trial = std::nullopt;  ///< Nothing: no trial is asked.
  AlgorithmChoice::Next next = AlgorithmChoice::Next::asks;
};

/// The choice for exchanges that are not bundled.
inline select::Candidate pair_by_pair() noexcept { return {.algorithm = &schedule::alltoallv_direct}; }

/// The choice for MPI_Alltoall.
/// @param bytes  Of a block. 0: none, or a mistake.
/// @param straight_from  Blocks of at least so many bytes do not go in bundles.
Choice choice_of_equal_blocks(AlgorithmChoice& algorithms, layout::Bytes bytes, layout::Bytes straight_from);

/// The choice for MPI_Alltoallv and MPI_Alltoallw. Throws std::bad_alloc.
/// @param topology  const select::Topology&(), called only if needed.
/// @param to, from  As for Agreement::next().
template <class AskTopology, class To, class From>
Choice choice_of_volumes(AlgorithmChoice& algorithms, TrialKind::Call call, schedule::Rank me, const AskTopology& topology,
                         const To& to, const From& from) {
  algorithms.stop();
  const std::string& wanted = algorithms.alltoallv();
  if (wanted == "native") return {};
  if (wanted != "auto") return {.candidate = {.algorithm = schedule::find(schedule::alltoallv(), wanted)}};
  Agreement& agreement = algorithms.agreement();
  const select::Candidate& choice = agreement.next(topology(), me, to, from);
  return {choice, TrialKind{call, agreement.volumes(), agreement.digest(), agreement.volumes() != 0},
          AlgorithmChoice::Next::passes_agreed};
}

/// The choice for MPI_Allgatherv. Throws std::bad_alloc.
/// @param starts, where  As for GatherChoice::of().
template <class AskWhere>
Choice choice_of_gather(AlgorithmChoice& algorithms, std::span<const select::Bytes> starts,
                        const GatherChoice::Library& library, const AskWhere& where) {
  const std::string& wanted = algorithms.allgatherv();
  GatherChoice& gathers = algorithms.gathers();
  Choice choice{gathers.of(starts, wanted, library, where)};
  if (!choice.candidate.algorithm || wanted != "auto") return choice;
  algorithms.stop();
  choice.trial = gathers.kind();
  choice.next = AlgorithmChoice::Next::passes_alike;
  return choice;
}

/// True: choice_of_gather() would leave the gather to the library. A glance at the counts shows
/// that: the gather is small, or like the last one that was left. All ranks find the same. After
/// false, choice_of_gather() may leave it all the same.
/// @param size  Bytes of an element. 0: only the library knows them.
bool passes_gather(AlgorithmChoice& algorithms, const Numbers& counts, int ranks, layout::Bytes size,
                   const GatherChoice::Library& library) noexcept;

// The name that trials have for a collective with such arguments.

template <class Type>
constexpr TrialKind::Call call_of_all(const Buffer<Type>& /*receive*/) {
  return TrialKind::Call::alltoall;
}
template <class Type>
constexpr TrialKind::Call call_of_all(const VArgument<Type>& /*receive*/) {
  return TrialKind::Call::alltoallv;
}
template <class Type>
constexpr TrialKind::Call call_of_all(const WArgument<Type>& /*receive*/) {
  return TrialKind::Call::alltoallw;
}
template <class Type>
constexpr TrialKind::Call call_of_neighbours(const Buffer<Type>& /*receive*/, bool gathers) {
  return gathers ? TrialKind::Call::neighbor_allgather : TrialKind::Call::neighbor_alltoall;
}
template <class Type>
constexpr TrialKind::Call call_of_neighbours(const VArgument<Type>& /*receive*/, bool gathers) {
  return gathers ? TrialKind::Call::neighbor_allgatherv : TrialKind::Call::neighbor_alltoallv;
}
template <class Type>
constexpr TrialKind::Call call_of_neighbours(const WArgument<Type>& /*receive*/, bool /*gathers*/) {
  return TrialKind::Call::neighbor_alltoallw;
}

}  // namespace heddle::engine
