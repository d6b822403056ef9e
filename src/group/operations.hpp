// group/operations.hpp: what MPI does to groups (MPI-5.0 §7.3). Results are in the smallest format again, and speak of the
// world.
//
//   const Group world = Group::world(1'000'000);
//   const Group odd = range_incl(world, {{{1, 999'999, 2}}});
//   const Group rest = difference(world, odd);                         0 2 4 ...: a stride of 12 bytes
//   const Group plane = cart_sub(world, {{100, 100, 100}}, {{true, false, true}}, {{0, 7, 0}});
//
// Ranks that are not there, ranks that come twice, strides that lead nowhere: std::invalid_argument says which.
#pragma once

#include <span>
#include <vector>

#include "group/encoder.hpp"
#include "group/group.hpp"

namespace heddle::group {

/// The triplets of MPI_Group_range_incl: first, first + stride, ... as far as last.
struct Range {
  Rank first = 0, last = 0, stride = 1;
};

/// `count` of them, as MPI takes them.
std::vector<Range> ranges_of(int count, const int (*triplets)[3]);

Group incl(const Group& group, std::span<const Rank> ranks);          ///< One pass over `ranks`.
Group excl(const Group& group, std::span<const Rank> ranks);          ///< O(k log k) for k ranks, whatever the group's size.
Group range_incl(const Group& group, std::span<const Range> ranges);  ///< O(descriptions).
Group range_excl(const Group& group, std::span<const Range> ranges);  ///< O(descriptions), unless ranges interleave.

/// Its first members, as many as `size`.
Group front(const Group& group, Rank size);

/// All of the first, then what only the second has.
Group union_of(const Group& first, const Group& second);
/// What both have, in the order of the first.
Group intersection(const Group& first, const Group& second);
/// What the second has not, in the order of the first. This one and the two above: O(descriptions) for few strides and ranges,
/// otherwise one pass over both.
Group difference(const Group& first, const Group& second);
/// One behind the other, as MPI_Intercomm_merge does with its two groups, which have no member in common.
Group merge(const Group& low, const Group& high);

/// Members for which keep(rank in the group, world rank) holds: one pass.
template <class Keep>
Group subset(const Group& group, Keep keep) {
  Encoder encoder;
  Rank rank = 0;
  group.each([&](Rank world) {
    if (keep(rank++, world)) encoder.add(world);
  });
  return encoder.finish();
}

/// What MPI_Cart_sub makes of a Cartesian topology of the group (row-major: the last dimension is next to itself) for the
/// process at `coordinates`: the dimensions that remain, through that place. O(dimensions).
Group cart_sub(const Group& group, std::span<const Rank> dims, std::span<const bool> remain, std::span<const Rank> coordinates);

enum class Comparison { identical, similar, unequal };  ///< MPI_IDENT, MPI_SIMILAR, MPI_UNEQUAL.
Comparison compare(const Group& first, const Group& second);

/// The rank in `to` of member `rank` of `from`, or undefined. std::invalid_argument if there is no member `rank`.
Rank translate(const Group& from, Rank rank, const Group& to);
void translate(const Group& from, std::span<const Rank> ranks, const Group& to, std::span<Rank> out);

}  // namespace heddle::group
