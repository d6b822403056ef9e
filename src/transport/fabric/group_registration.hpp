// transport/fabric/group_registration.hpp: optimistic group registration (Wu et al. 2004, §4.4.1).
// It covers the blocks of a datatype by few regions that leave out large gaps. Pure.
//
//   for (const layout::Segment& region : group(layout, count, total, prices, 64)) ...        // empty: too many regions
#pragma once

#include <vector>

#include "layout/cursor.hpp"

namespace heddle::transport::fabric {

/// Costs to register a region and to undo that, ns. A gap is registered with its neighbours if its
/// pages cost less than another call.
struct Prices {
  double call = 1500;
  double page = 120;

  [[nodiscard]] layout::Bytes largest_gap() const noexcept;
};

/// Returns regions that cover the first `total` packed bytes. They are ordered by offset from the
/// message's base, and at least a page apart. Takes O(blocks), plus a sort if blocks are not in
/// memory order. Empty: there would be more than `most`.
std::vector<layout::Segment> group(const layout::Layout& layout, layout::Count count, layout::Bytes total, const Prices& prices,
                                   std::size_t most);

}  // namespace heddle::transport::fabric
