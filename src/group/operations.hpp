// group/operations.hpp: MPI's operations on groups (MPI-5.0 §7.3). Results have the smallest
// format, and name ranks of the world.
//
//   const Group world = Group::world(1'000'000);
//   const Group odd = range_incl(world, {{{1, 999'999, 2}}});
//   const Group rest = difference(world, odd);                         0 2 4 ...: a stride of 12 bytes
//   const Group plane = cart_sub(world, {{100, 100, 100}}, {{true, false, true}}, {{0, 7, 0}});
//
// std::invalid_argument names a missing rank, a rank that comes twice, or a stride that leads away
// from its end.
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

/// `count` triplets, in MPI's form.
std::vector<Range> ranges_of(int count, const int (*triplets)[3]);

Group incl(const Group& group, std::span<const Rank> ranks);          ///< One pass over `ranks`.
Group excl(const Group& group, std::span<const Rank> ranks);          ///< O(k log k) for k ranks, for every size of the group.
Group range_incl(const Group& group, std::span<const Range> ranges);  ///< O(descriptions).
Group range_excl(const Group& group, std::span<const Range> ranges);  ///< O(descriptions), unless ranges interleave.

/// The first `size` members of the group.
Group front(const Group& group, Rank size);

/// All members of the first group, then those that only the second has.
Group union_of(const Group& first, const Group& second);
/// The members of both groups, in the order of the first.
Group intersection(const Group& first, const Group& second);
/// The members of the first group that the second lacks, in the order of the first. This function
/// and the two above take O(descriptions) for few strides and ranges, otherwise one pass over both
/// groups.
Group difference(const Group& first, const Group& second);
/// One group behind the other, as in MPI_Intercomm_merge. The groups have no member in common.
Group merge(const Group& low, const Group& high);

/// The members for which keep(rank in the group, world rank) holds. One pass.
template <class Keep>
Group subset(const Group& group, Keep keep) {
  Encoder encoder;
  Rank rank = 0;
  group.each([&](Rank world) {
    if (keep(rank++, world)) encoder.add(world);
  });
  return encoder.finish();
}

/// The result of MPI_Cart_sub on a Cartesian topology of the group, for the process at
/// `coordinates`: the remaining dimensions through that place. The topology is row-major:
/// neighbours differ in the last dimension. O(dimensions).
Group cart_sub(const Group& group, std::span<const Rank> dims, std::span<const bool> remain, std::span<const Rank> coordinates);

enum class Comparison { identical, similar, unequal };  ///< MPI_IDENT, MPI_SIMILAR, MPI_UNEQUAL.
Comparison compare(const Group& first, const Group& second);

/// The rank in `to` of member `rank` of `from`, or undefined. std::invalid_argument if there is no
/// member `rank`.
Rank translate(const Group& from, Rank rank, const Group& to);
void translate(const Group& from, std::span<const Rank> ranks, const Group& to, std::span<Rank> out);

}  // namespace heddle::group
