// transport/fabric/group_registration.cpp: groups blocks in one walk.
#include "transport/fabric/group_registration.hpp"

#include <algorithm>
#include <limits>

#include "transport/region.hpp"

namespace heddle::transport::fabric {
namespace {

using layout::Bytes;
using layout::Segment;

/// Extends `last` by `next` if the gap between them is small. `next` begins at or after the start
/// of `last`.
bool join(Segment& last, const Segment& next, Bytes gap) {
  if (next.offset - (last.offset + last.length) >= gap) return false;
  last.length = std::max(last.length, next.offset + next.length - last.offset);
  return true;
}

}  // namespace

Bytes Prices::largest_gap() const noexcept {
  const double pages = call <= 0 ? 0 : page <= 0 ? 1e9 : call / page;
  return page_size() * static_cast<Bytes>(std::clamp(pages, 1.0, 1e9));
}

std::vector<Segment> group(const layout::Layout& layout, layout::Count count, Bytes total, const Prices& prices,
                           std::size_t most) {
  const Bytes gap = prices.largest_gap();
  // If the sum of all gaps is small, no gap is large.
  if (count > 0 && layout.extent() >= 0 && total == layout.size() * count) {
    const Bytes span = (count - 1) * layout.extent() + layout.true_extent();
    if (span - total < gap) return {{layout.true_lower_bound(), span}};
  }
  std::vector<Segment> regions;
  layout::Cursor cursor(layout, count);
  bool ordered = true;
  for (Bytes left = total; left > 0;) {
    const Segment block = cursor.next(left);
    left -= block.length;
    if (!regions.empty()) {
      if (block.offset >= regions.back().offset && join(regions.back(), block, gap)) continue;
      ordered = ordered && block.offset >= regions.back().offset + regions.back().length;
      if (ordered && regions.size() == most) return {};
    }
    regions.push_back(block);
  }
  if (!ordered) {
    std::ranges::sort(regions, {}, &Segment::offset);
    std::size_t kept = 0;
    for (std::size_t i = 1; i < regions.size(); ++i)
      if (!join(regions[kept], regions[i], gap)) regions[++kept] = regions[i];
    regions.resize(kept + 1);
  }
  return regions.size() <= most ? regions : std::vector<Segment>{};
}

}  // namespace heddle::transport::fabric
