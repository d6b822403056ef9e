// engine/exchange/choice.hpp: chooses the algorithm of a blocking collective of a communicator, from the
// user's wishes, the agreement of its ranks, and the results of trials. All ranks choose the same.
//
//   const select::Candidate choice = choice_of_all<Kinds<OfHost>>(own, send, receive, straight_from, timed);
//   if (!choice.algorithm) ...                                     // the library's
//
// `own` is as in kinds.hpp. It also has topology() and library(kind, timed, next), which calls
// AlgorithmChoice::library().
#pragma once

#include <span>
#include <string>
#include <type_traits>

#include "engine/collective/algorithm_choice.hpp"
#include "engine/exchange/kinds.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::engine {

/// The choice for exchanges that are not bundled.
inline select::Candidate pair_by_pair() noexcept { return {.algorithm = &schedule::alltoallv_direct}; }

/// Bytes of a rank's block that may go in a bundle; a mistake of the program counts as none.
template <class Measure, class Given>
class Bundled {
 public:
  /// @param limit  Blocks of at least so many bytes go straight.
  Bundled(const Given& given, layout::Bytes limit) : given_(given), whole_(whole(given)), limit_(limit) {}
  layout::Bytes operator()(int rank) const noexcept {
    Buffer<typename Measure::Type> data;
    layout::Bytes bytes = 0;
    return whole_ && block_of(given_, rank, ruler_, data, bytes) && bytes < limit_ ? bytes : 0;
  }

 private:
  const Given& given_;
  bool whole_;
  layout::Bytes limit_;
  mutable Measure ruler_;
};

/// Heddle's way, unless the library's has turned out to be quicker, or is due to be timed.
template <class Own>
select::Candidate tried(Own& own, const select::Candidate& choice, const TrialKind& kind, TimedCall& timed,
                        AlgorithmChoice::Next next) {
  return own.library(kind, timed, next) ? select::Candidate{} : choice;
}

/// The choice for MPI_Alltoall, MPI_Alltoallv or MPI_Alltoallw, from facts that all ranks know. Null
/// algorithm: the library's.
/// @param straight_from  Blocks of at least so many bytes do not go in bundles.
template <class Of, class Own, class Given>
select::Candidate choice_of_all(Own& own, const Given& send, const Given& receive, layout::Bytes straight_from,
                                TimedCall& timed) {
  using Measure = typename Of::Measure;
  constexpr bool equal_blocks = std::is_same_v<Given, typename Of::Data>;
  const auto bundled = [straight_from](const Given& given) { return Bundled<Measure, Given>(given, straight_from); };
  const select::Candidate direct = pair_by_pair();
  own.algorithms().stop();
  const std::string& wanted = own.algorithms().alltoallv();
  if (wanted == "native") return {};
  if (wanted != "auto") {
    if (equal_blocks && bundled(receive)(0) == 0) return direct;
    return {.algorithm = schedule::find(schedule::alltoallv(), wanted)};
  }
  if constexpr (equal_blocks) {
    if (!Of::All::ours(send, receive)) return {};
    Measure ruler;
    typename Of::Data block;
    layout::Bytes bytes = 0;
    block_of(receive, 0, ruler, block, bytes);
    return tried(own, direct, {.call = call_of_all(send), .volumes = select::magnitudes({bytes})}, timed,
                 AlgorithmChoice::Next::asks);
  } else {
    Agreement& agreement = own.algorithms().agreement();
    const select::Candidate& choice = agreement.next(own.topology(), own.me(), bundled(send), bundled(receive));
    return tried(own, choice, {call_of_all(send), agreement.volumes(), agreement.digest(), agreement.volumes() != 0}, timed,
                 AlgorithmChoice::Next::passes_agreed);
  }
}

/// The choice for MPI_Allgatherv: the wanted algorithm, or a quick algorithm by volumes and trials. Null algorithm:
/// the library's.
/// @param starts  As for GatherChoice::of().
template <class Own>
select::Candidate choice_of_gather(Own& own, std::span<const select::Bytes> starts, const GatherChoice::Library& library,
                                   TimedCall& timed) {
  const std::string& wanted = own.algorithms().allgatherv();
  GatherChoice& candidates = own.algorithms().gathers();
  const select::Candidate choice =
      candidates.of(starts, wanted, library, [&own]() -> const select::Where& { return own.topology().where; });
  if (!choice.algorithm || wanted != "auto") return choice;
  own.algorithms().stop();
  return tried(own, choice, candidates.kind(), timed, AlgorithmChoice::Next::passes_alike);
}

/// True: way_of_gather() would leave the gather to the library. A glance at the counts shows that:
/// the gather is small, or like the last one that was left. The same on all ranks. After false,
/// way_of_gather() may leave it all the same.
/// @param size_of  Bytes of an element, asked only if needed. 0: only the library knows them.
template <class Own, class SizeOf>
bool passes_gather(Own& own, const Numbers& counts, const GatherChoice::Library& library, const SizeOf& size_of) noexcept {
  if (own.algorithms().allgatherv() != "auto" || !counts.array()) return false;
  const layout::Bytes size = size_of();
  layout::Bytes all = 0;
  VolumesDigest digest;
  for (int i = 0; i < own.ranks(); ++i) {
    layout::Bytes bytes = 0;
    if (counts[i] < 0 || __builtin_mul_overflow(counts[i], size, &bytes) || __builtin_add_overflow(all, bytes, &all))
      return false;
    digest.add(bytes);
  }
  if (size <= 0) return false;
  if (all < select::worth_gathering_anywhere && !library.where_counts(own.ranks())) return true;
  return own.algorithms().passes_gather(digest.value());
}

}  // namespace heddle::engine
