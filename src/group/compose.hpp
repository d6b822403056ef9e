// group/compose.hpp: groups of groups. A selection is a group whose "world" are the ranks of a parent; composing the two gives
// a group of the world, from description to description where both have one:
//
//   parent     0 300 600 ... 89,700        (a column)
//   selection  1 3 5 ... 299               (its odd ranks)
//   composed   300 900 1500 ... 89,700     one multiplication and one addition, whatever the sizes
#pragma once

#include "group/encoder.hpp"
#include "group/group.hpp"

namespace heddle::group {

/// Members of the parent, in the order of the selection, whose ranks must all be less than parent.size(). O(descriptions) where
/// strides nest (at worst O(rows)); one pass over the selection if either is a bitmap or a list.
Group select(const Group& parent, const Group& selection);

/// Members of the parent that are not selected, in the parent's order. O(description) for selections of runs that do not
/// interleave; otherwise one pass over the parent.
Group exclude(const Group& parent, const Group& selection);

/// The group's members, at the end of what the encoder has.
void append(Encoder& encoder, const Group& group);

}  // namespace heddle::group
