// transport/fabric/group.hpp: optimistic group registration (Wu et al. 2004, §4.4.1): the blocks of
// a datatype in as few regions as pays, the large gaps left out. Pure.
//
//   for (const layout::Segment& region : group(layout, count, total, prices, 64)) ...        // empty: they would be too many
#pragma once

#include <vector>

#include "layout/cursor.hpp"

namespace heddle::transport::fabric {

/// What it costs to register a region and to take it back, ns. A gap is registered with its neighbours if its pages cost less
/// than another call.
struct Prices {
  double call = 1500;
  double page = 120;

  [[nodiscard]] layout::Bytes largest_gap() const noexcept;
};

/// Regions that cover the first `total` packed bytes, by ascending offset from the message's base, at least a page apart.
/// O(blocks), sorting them where they are not in memory order. Empty: more than `most`.
std::vector<layout::Segment> group(const layout::Layout& layout, layout::Count count, layout::Bytes total, const Prices& prices,
                                   std::size_t most);

}  // namespace heddle::transport::fabric
