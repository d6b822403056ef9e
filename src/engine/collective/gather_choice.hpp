// engine/collective/gather_choice.hpp: chooses the algorithm of each MPI_Allgatherv of a
// communicator, from facts that all its ranks know. A call that repeats the last one's volumes is
// not examined anew.
//
//   if (candidates.leaves(digest)) ...           // to the library, as the last one of those bytes
//   const auto where = [&]() -> const select::Where& { return topology().where; };
//   const select::Candidate choice = candidates.of(starts, "auto", library, where);
//   if (!choice.algorithm) ...                   // it is left to the library
//   trials.library(candidates.kind(), timed);    // of what "auto" has chosen
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/collective/trials.hpp"
#include "select/collective/decide.hpp"
#include "select/collective/volume_shares.hpp"

namespace heddle::engine {

/// A digest of the bytes of all ranks, in rank order. Equal volumes have equal digests. Never 0.
class VolumesDigest {
 public:
  void add(select::Bytes bytes) noexcept {
    value_ = (value_ ^ static_cast<std::uint64_t>(bytes)) * 0x9E3779B97F4A7C15U;
    value_ ^= value_ >> 29U;
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_ | 1U; }

 private:
  std::uint64_t value_ = 0;
};

class GatherChoice {
 public:
  /// Properties of the library's own gathers.
  struct Library {
    bool by_sum = false;       ///< The sum of the volumes decides their algorithm.
    bool slow_little = false;  ///< They are slow for few bytes.

    /// True: the least bytes that are worth a choice depend on the places of the ranks.
    [[nodiscard]] bool where_counts(int ranks) const noexcept { return slow_little && ranks > 2; }
  };

  /// @param starts  Start of each rank's block, in bytes, and the end of the last. The first is 0.
  /// @param wanted  auto, native, or an algorithm's name.
  /// @param where  const select::Where&(), called only if needed.
  /// @return A null algorithm: the library's way. Throws std::bad_alloc.
  template <class AskWhere>
  select::Candidate of(std::span<const select::Bytes> starts, std::string_view wanted, const Library& library,
                       const AskWhere& where) {
    const auto ranks = static_cast<int>(starts.size()) - 1;
    const select::Bytes total = starts.back();
    // First the decisions that need no look at the volumes. A look adds and sorts them, which takes
    // longer than a small gather.
    if (wanted == "native" || total == 0) return {};
    if (wanted != "auto") return by_volumes(starts, wanted, library, where());
    if (total < (library.where_counts(ranks) ? select::worth_gathering(where(), true) : select::worth_gathering_anywhere)) {
      left_ = digest_of(starts);
      return {};
    }
    if (!std::ranges::equal(starts, starts_)) {
      starts_.clear();  // they match no call if memory runs out below
      choice_ = by_volumes(starts, wanted, library, where());
      if (choice_.algorithm) kind_ = {TrialKind::Call::allgatherv, volumes_, select::digest(choice_)};
      starts_.assign(starts.begin(), starts.end());
    }
    if (!choice_.algorithm) left_ = digest_of(starts);
    return choice_;
  }
  /// True: the last gather that "auto" has left to the library had those bytes.
  [[nodiscard]] bool leaves(std::uint64_t digest) const noexcept { return digest == left_; }
  /// Digest of the last gather whose volumes were examined.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_of(starts_); }
  /// Kind of the last gather that "auto" has given to an algorithm of Heddle's.
  [[nodiscard]] const TrialKind& kind() const noexcept { return kind_; }

 private:
  static std::uint64_t digest_of(std::span<const select::Bytes> starts) noexcept {
    VolumesDigest digest;
    for (std::size_t rank = 0; rank + 1 < starts.size(); ++rank) digest.add(starts[rank + 1] - starts[rank]);
    return digest.value();
  }
  select::Candidate by_volumes(std::span<const select::Bytes> starts, std::string_view wanted, const Library& library,
                               const select::Where& where) {
    const auto ranks = static_cast<std::int64_t>(starts.size()) - 1;
    const select::Volumes& seen = spread_.of(ranks, [&](std::int32_t rank) {
      return starts[static_cast<std::size_t>(rank) + 1] - starts[static_cast<std::size_t>(rank)];
    });
    volumes_ = select::magnitudes({seen.total, seen.largest, seen.total - seen.largest});
    return select::decide_allgatherv({where, seen, library.by_sum, library.slow_little}, wanted).choice;
  }

  select::Spread spread_;
  std::vector<select::Bytes> starts_;
  select::Candidate choice_;
  TrialKind kind_{};
  std::uint64_t volumes_ = 0;
  std::uint64_t left_ = 0;  // digest of the last gather that is the library's; 0: none
};

}  // namespace heddle::engine
