// engine/file/plan.cpp: cuts a file's range into domains and pieces (picture: plan.hpp).
#include "engine/file/plan.hpp"

#include <algorithm>

namespace heddle::engine::files {
namespace {

/// The domains of the owners. The first begins with the range, all others at multiples of the
/// alignment.
class Domains {
 public:
  Domains(const FileRange& range, const Cut& cut, int ranks) : range_(range), cut_(cut), ranks_(ranks) {
    first_ = range.low / cut.alignment * cut.alignment;
    const Bytes each = (range.high - first_ + cut.owners - 1) / cut.owners;
    length_ = (each + cut.alignment - 1) / cut.alignment * cut.alignment;
    rounds_ = (length_ + cut.piece - 1) / cut.piece;
  }
  [[nodiscard]] Count rounds() const { return rounds_; }
  [[nodiscard]] int owner(int domain) const { return static_cast<int>(Count{domain} * ranks_ / cut_.owners); }
  /// Empty: that domain has no such piece.
  [[nodiscard]] FileRange piece(int domain, Count round) const {
    const Bytes begin = first_ + domain * length_;
    const Bytes low = begin + round * cut_.piece;
    const FileRange cut{std::max(low, range_.low), std::min({low + cut_.piece, begin + length_, range_.high})};
    return cut.bytes() > 0 ? cut : FileRange{};
  }

 private:
  FileRange range_;
  Cut cut_;
  int ranks_;
  Bytes first_, length_;
  Count rounds_;
};

/// The part of an access that lies in a piece. No bytes: there is none.
Part part_of(int rank, const Accessed& access, const View& view, const FileRange& piece) {
  const Bytes end = access.from + access.length;
  const Bytes from = std::clamp(view.before(piece.low), access.from, end);
  return {rank, from, std::clamp(view.before(piece.high), access.from, end) - from};
}

}  // namespace

FileRange range_of(std::span<const Accessed> accesses, std::span<const View> views) {
  FileRange range;
  bool any = false;
  for (std::size_t rank = 0; rank < accesses.size(); ++rank) {
    const auto [from, length] = accesses[rank];
    if (length <= 0) continue;
    const FileRange own{views[rank].place(from), views[rank].end(from, length)};
    range = any ? FileRange{std::min(range.low, own.low), std::max(range.high, own.high)} : own;
    any = true;
  }
  return range;
}

Cut cut_of(const FileHints& hints, Bytes bytes, Bytes range, int ranks) {
  constexpr Bytes most_in_round = Bytes{1} << 28;  // of all pieces
  constexpr Bytes least_domain = Bytes{1} << 16;   // fewer bytes are not worth a message
  const Bytes wished = hints.owners > 0 ? std::min(hints.owners, ranks) : ranks;
  const Bytes owners = hints.all ? wished : std::clamp(range / least_domain, Bytes{1}, wished);
  // If ranks read the same bytes, an owner packs them for each of these ranks.
  const Bytes times = (bytes + range - 1) / range;
  const Bytes most = std::min(hints.piece, most_in_round / owners) / times;
  return {static_cast<int>(owners), std::max(most / hints.alignment, Bytes{1}) * hints.alignment, hints.alignment};
}

Bytes Round::bytes() const {
  Bytes sum = 0;
  for (const Part& part : owned) sum += part.bytes;
  return sum;
}

Plan::Plan(std::span<const Accessed> accesses, std::span<const View> views, const Cut& cut, int me) {
  const FileRange range = range_of(accesses, views);
  if (range.bytes() <= 0) return;
  const auto ranks = static_cast<int>(accesses.size());
  const auto own = static_cast<std::size_t>(me);
  const Domains domains(range, cut, ranks);
  rounds_.resize(static_cast<std::size_t>(domains.rounds()));
  for (Count number = 0; number < domains.rounds(); ++number) {
    Round& round = rounds_[static_cast<std::size_t>(number)];
    for (int domain = 0; domain < cut.owners; ++domain) {
      const FileRange piece = domains.piece(domain, number);
      if (piece.bytes() <= 0) continue;
      const int owner = domains.owner(domain);
      if (const Part part = part_of(owner, accesses[own], views[own], piece); part.bytes > 0) round.own.push_back(part);
      if (owner != me) continue;
      round.piece = piece;
      for (int rank = 0; rank < ranks; ++rank) {
        const auto there = static_cast<std::size_t>(rank);
        if (const Part part = part_of(rank, accesses[there], views[there], piece); part.bytes > 0) round.owned.push_back(part);
      }
    }
  }
}

}  // namespace heddle::engine::files
