// engine/exchange/choice.cpp: blocks of equal size, and gathers that need no look at the model.
#include "engine/exchange/choice.hpp"

namespace heddle::engine {

Choice choice_of_equal_blocks(AlgorithmChoice& algorithms, layout::Bytes bytes, layout::Bytes straight_from) {
  algorithms.stop();
  const std::string& wanted = algorithms.alltoallv();
  if (wanted == "native") return {};
  if (wanted != "auto") {
    if (bytes == 0 || bytes >= straight_from) return {pair_by_pair()};
    return {{.algorithm = schedule::find(schedule::alltoallv(), wanted)}};
  }
  if (bytes < equal_blocks_from) return {};
  return {pair_by_pair(), TrialKind{.call = TrialKind::Call::alltoall, .volumes = select::magnitudes({bytes})}};
}

bool passes_gather(AlgorithmChoice& algorithms, const Numbers& counts, int ranks, layout::Bytes size,
                   const GatherChoice::Library& library) noexcept {
  if (algorithms.allgatherv() != "auto" || !counts.array() || size <= 0) return false;
  layout::Bytes all = 0;
  VolumesDigest digest;
  for (int i = 0; i < ranks; ++i) {
    layout::Bytes bytes = 0;
    if (counts[i] < 0 || __builtin_mul_overflow(counts[i], size, &bytes) || __builtin_add_overflow(all, bytes, &all))
      return false;
    digest.add(bytes);
  }
  if (all < select::worth_gathering_anywhere && !library.where_counts(ranks)) return true;
  return algorithms.passes_gather(digest.value());
}

}  // namespace heddle::engine
