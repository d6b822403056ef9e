// engine/gather_ways.hpp: by which way each MPI_Allgatherv of a communicator goes, from what all its ranks know; one that
// repeats the last one's volumes is not looked at anew. May include: trials.hpp, select/collective/.
//
//   const select::Way way = ways.of(starts, "auto", library, [&]() -> const select::Where& { return topology().where; });
//   if (!way.algorithm) ...                                      // it is left to the library
//   trials.library(ways.kind(), timed);                          // of what "auto" has chosen
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/trials.hpp"
#include "select/collective/agreement.hpp"
#include "select/collective/decide.hpp"

namespace heddle::engine {

class GatherWays {
 public:
  /// What the library's own gathers are like.
  struct Library {
    bool by_sum = false;       ///< They go by the sum of the volumes.
    bool slow_little = false;  ///< They are slow where there is little.

    /// Whether it depends on where the ranks are, from how many bytes on a gather is worth a choice.
    [[nodiscard]] bool where_counts(int ranks) const noexcept { return slow_little && ranks > 2; }
  };

  /// @param starts  Of each rank's block, in bytes, and the end; of the first: 0.
  /// @param wanted  auto, native, or an algorithm's name.
  /// @param where  const select::Where&(), asked only where it counts. Null algorithm: the library's. Throws std::bad_alloc.
  template <class AskWhere>
  select::Way of(std::span<const select::Bytes> starts, std::string_view wanted, const Library& library,
                 const AskWhere& where) {
    const auto ranks = static_cast<int>(starts.size()) - 1;
    const select::Bytes total = starts.back();
    // What needs no look at the volumes first: they are added up and sorted, which takes longer than a small gather.
    if (wanted == "native" || total == 0) return {};
    if (wanted != "auto") return by_volumes(starts, wanted, library, where());
    if (total < (library.where_counts(ranks) ? select::worth_gathering(where(), true) : select::worth_gathering_anywhere))
      return {};
    if (!std::ranges::equal(starts, starts_)) {
      starts_.clear();  // neither of the old nor of the new, if memory is lacking
      way_ = by_volumes(starts, wanted, library, where());
      if (way_.algorithm) kind_ = {TrialKind::Call::allgatherv, volumes_, select::digest(way_)};
      starts_.assign(starts.begin(), starts.end());
    }
    return way_;
  }
  /// Of the last one that "auto" had go by a way of Heddle's.
  [[nodiscard]] const TrialKind& kind() const noexcept { return kind_; }

 private:
  select::Way by_volumes(std::span<const select::Bytes> starts, std::string_view wanted, const Library& library,
                         const select::Where& where) {
    const auto ranks = static_cast<std::int64_t>(starts.size()) - 1;
    const select::Volumes& seen = spread_.of(ranks, [&](std::int32_t rank) {
      return starts[static_cast<std::size_t>(rank) + 1] - starts[static_cast<std::size_t>(rank)];
    });
    volumes_ = select::magnitudes({seen.total, seen.largest, seen.total - seen.largest});
    return select::decide_allgatherv({where, seen, library.by_sum, library.slow_little}, wanted).way;
  }

  select::Spread spread_;
  std::vector<select::Bytes> starts_;
  select::Way way_;
  TrialKind kind_{};
  std::uint64_t volumes_ = 0;
};

}  // namespace heddle::engine
