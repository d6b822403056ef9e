// group/operations.cpp: chooses by rank, by range and by coordinates; translates. Sets of groups:
// sets.cpp.
#include "group/operations.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "group/compose.hpp"

namespace heddle::group {
namespace {

using Wide = std::int64_t;

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

void check(const Group& group, Rank rank) {
  if (rank < 0 || rank >= group.size())
    refuse("rank " + std::to_string(rank) + " is not in a group of " + std::to_string(group.size()));
}

void refuse_twice(const Group& selection) {
  if (!distinct(selection)) refuse("a rank is listed twice");
}

std::string shown(const Range& range) {
  return "(" + std::to_string(range.first) + ", " + std::to_string(range.last) + ", " + std::to_string(range.stride) + ")";
}

/// Ranks of the group that the triplets list.
Group listed(const Group& group, std::span<const Range> ranges) {
  Encoder encoder;
  for (const Range& range : ranges) {
    if (range.stride == 0) refuse("range " + shown(range) + " has no stride");
    if ((range.last > range.first && range.stride < 0) || (range.last < range.first && range.stride > 0))
      refuse("range " + shown(range) + " leads away from its end");
    const Wide steps = (Wide{range.last} - range.first) / range.stride;
    check(group, range.first);
    check(group, static_cast<Rank>(range.first + steps * range.stride));
    encoder.add(Piece::run(range.first, range.stride, static_cast<Rank>(steps + 1)));
  }
  Group selection = encoder.finish();
  refuse_twice(selection);
  return selection;
}

}  // namespace

std::vector<Range> ranges_of(int count, const int (*triplets)[3]) {
  std::vector<Range> ranges;
  ranges.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) ranges.push_back({.first = triplets[i][0], .last = triplets[i][1], .stride = triplets[i][2]});
  return ranges;
}

Group incl(const Group& group, std::span<const Rank> ranks) {
  Encoder encoder;
  for (const Rank rank : ranks) {
    check(group, rank);
    encoder.add(group.world_rank(rank));
  }
  Group chosen = encoder.finish();
  refuse_twice(chosen);
  return chosen;
}

Group excl(const Group& group, std::span<const Rank> ranks) {
  std::vector<Rank> sorted(ranks.begin(), ranks.end());
  if (!std::is_sorted(sorted.begin(), sorted.end())) std::sort(sorted.begin(), sorted.end());
  Encoder encoder;
  for (const Rank rank : sorted) {
    check(group, rank);
    encoder.add(rank);
  }
  const Group selection = encoder.finish();
  refuse_twice(selection);
  return exclude(group, selection);
}

Group range_incl(const Group& group, std::span<const Range> ranges) { return select(group, listed(group, ranges)); }

Group front(const Group& group, Rank size) {
  if (size == group.size()) return group;
  const Range first{.first = 0, .last = size - 1, .stride = 1};
  return range_incl(group, {&first, 1});
}

Group range_excl(const Group& group, std::span<const Range> ranges) { return exclude(group, listed(group, ranges)); }

Group cart_sub(const Group& group, std::span<const Rank> dims, std::span<const bool> remain,
               std::span<const Rank> coordinates) {
  if (remain.size() != dims.size() || coordinates.size() != dims.size())
    refuse("the numbers of flags and coordinates must be the number of dimensions");
  Wide places = 1, at = 0, size = 1;
  std::vector<Dim> kept;  // innermost first
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (dims[d] < 1 || coordinates[d] < 0 || coordinates[d] >= dims[d])
      refuse("coordinate " + std::to_string(coordinates[d]) + " of " + std::to_string(dims[d]));
    if (remain[d]) {
      size *= dims[d];
      if (dims[d] > 1) kept.push_back({dims[d], static_cast<Rank>(places)});
    } else {
      at += coordinates[d] * places;
    }
    places *= dims[d];
    if (places > group.size()) refuse("a topology of more processes than the group's " + std::to_string(group.size()));
  }
  // Neighbouring dimensions that both remain count as one. If a piece cannot hold all of them, they
  // are laid out row by row.
  std::vector<Dim> axes;
  for (const Dim& dim : kept) {
    if (!axes.empty() && Wide{axes.back().count} * axes.back().step == dim.step) {
      axes.back().count *= dim.count;
    } else {
      axes.push_back(dim);
    }
  }
  const std::size_t inside = std::min<std::size_t>(axes.size(), Piece::most_dims);
  Piece brick = Piece::run(static_cast<Rank>(at), 1, 1);
  for (std::size_t d = 0; d < inside; ++d) {
    brick.dim[d] = axes[d];
    brick.size *= axes[d].count;
  }
  brick.dims = std::max(1, static_cast<int>(inside));
  Encoder encoder;
  for (Wide i = 0; i < size / brick.size; ++i) {
    Wide first = at, rest = i;
    for (std::size_t d = inside; d < axes.size(); rest /= axes[d++].count) first += rest % axes[d].count * axes[d].step;
    brick.first = static_cast<Rank>(first);
    encoder.add(brick);
  }
  return select(group, encoder.finish());
}

Rank translate(const Group& from, Rank rank, const Group& to) {
  check(from, rank);
  return to.rank_of(from.world_rank(rank));
}

void translate(const Group& from, std::span<const Rank> ranks, const Group& to, std::span<Rank> out) {
  for (std::size_t i = 0; i < ranks.size(); ++i) out[i] = translate(from, ranks[i], to);
}

}  // namespace heddle::group
