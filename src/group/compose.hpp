// group/compose.hpp: groups of groups. A selection is a group whose "world" is a parent's ranks.
// The composition of both is a group of the world. If both have descriptions, it comes from the
// descriptions:
//
//   parent     0 300 600 ... 89,700        (a column)
//   selection  1 3 5 ... 299               (its odd ranks)
//   composed   300 900 1500 ... 89,700     one multiplication and one addition, for every size
#pragma once

#include "group/encoder.hpp"
#include "group/group.hpp"

namespace heddle::group {

/// The selected members of the parent, in the order of the selection. All ranks of the selection
/// must be less than parent.size(). Takes O(descriptions) if strides nest (at worst O(rows)). It
/// takes one pass over the selection if either group is a bitmap or a list.
Group select(const Group& parent, const Group& selection);

/// Members of the parent that are not selected, in the parent's order. O(description) for
/// selections of runs that do not interleave; otherwise one pass over the parent.
Group exclude(const Group& parent, const Group& selection);

/// Appends the group's members to the encoder.
void append(Encoder& encoder, const Group& group);

}  // namespace heddle::group
