// layout/array.cpp: subarray and darray. A box, or a distributed part, of an array becomes a nest.
// Its innermost dimension comes first.
#include <algorithm>
#include <string>

#include "layout/layout.hpp"
#include "layout/rewrite.hpp"

namespace heddle::layout {
namespace {

/// A dimension of an array, with the distance between two of its indices. axes() orders dimensions
/// from the fastest to the slowest.
struct Axis {
  std::size_t dimension;
  Count size;
  Bytes stride;
};

std::vector<Axis> axes(std::span<const Count> sizes, Order order, const Layout& old) {
  std::vector<Axis> result;
  Bytes stride = old.extent();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::size_t dimension = order == Order::fortran ? i : sizes.size() - 1 - i;
    if (sizes[dimension] < 1) throw std::invalid_argument("array dimension " + std::to_string(dimension) + " has no elements");
    result.push_back({dimension, sizes[dimension], stride});
    stride = times(stride, sizes[dimension]);
  }
  return result;
}

/// Gives a part of the array the bounds of the whole array.
Layout in_array(Placed part, std::span<const Count> sizes, const Layout& old) {
  Bytes extent = old.extent();
  for (const Count size : sizes) extent = times(extent, size);
  return {std::move(part), 0, extent, old.alignment(), {true, true}};
}

Placed moved(Placed child, Bytes by) {
  child.offset = plus(child.offset, by);
  return child;
}

Count ceiling(Count a, Count b) { return a / b + (a % b != 0); }

/// The indices start, start+1, ... of one dimension that belong to place `place` of `places`, in
/// blocks of `block`.
Placed cyclic(const Axis& axis, Count block, Count place, Count places, const Placed& child) {
  const Count cycle = times(block, places);
  const Count first = place * block;
  if (first >= axis.size) return {};
  const Count last_block = (axis.size - 1 - first) / cycle;  // blocks before it are whole
  const Placed whole = rewrite::loop(last_block, times(cycle, axis.stride), rewrite::loop(block, axis.stride, child));
  const Count start = first + last_block * cycle;
  const Placed last = rewrite::loop(std::min(block, axis.size - start), axis.stride, child);
  return rewrite::sequence({moved(whole, first * axis.stride), moved(last, start * axis.stride)});
}

}  // namespace

Layout subarray(std::span<const Count> sizes, std::span<const Count> subsizes, std::span<const Count> starts, Order order,
                const Layout& old) {
  if (sizes.size() != subsizes.size() || sizes.size() != starts.size()) {
    throw std::invalid_argument("sizes, subsizes and starts must name the same dimensions");
  }
  Placed box = old.root();
  for (const Axis& axis : axes(sizes, order, old)) {
    const Count length = subsizes[axis.dimension];
    const Count start = starts[axis.dimension];
    if (length < 0 || start < 0 || length > axis.size || start > axis.size - length) {
      throw std::invalid_argument("the box leaves the array in dimension " + std::to_string(axis.dimension));
    }
    box = moved(rewrite::loop(length, axis.stride, box), times(start, axis.stride));
  }
  return in_array(std::move(box), sizes, old);
}

Layout darray(Count ranks, Count rank, std::span<const Count> sizes, std::span<const Distribution> distributions,
              std::span<const Count> arguments, std::span<const Count> grid, Order order, const Layout& old) {
  const std::size_t dimensions = sizes.size();
  if (distributions.size() != dimensions || arguments.size() != dimensions || grid.size() != dimensions) {
    throw std::invalid_argument("sizes, distributions, arguments and grid must name the same dimensions");
  }
  Count places = 1;
  for (const Count g : grid) {
    if (g < 1) throw std::invalid_argument("a dimension of the process grid is empty");
    places = times(places, g);
  }
  if (places != ranks || rank < 0 || rank >= ranks)
    throw std::invalid_argument("rank or process grid does not match the number of ranks");

  std::vector<Count> place(dimensions);  // of this rank in the grid; the grid is always in C order
  for (std::size_t i = dimensions; i-- > 0; rank /= grid[i]) place[i] = rank % grid[i];

  Placed part = old.root();
  for (const Axis& axis : axes(sizes, order, old)) {
    const std::size_t d = axis.dimension;
    const Count argument = arguments[d];
    if (argument != default_argument && argument < 1) throw std::invalid_argument("a distribution argument is not positive");
    Count block = axis.size;
    switch (distributions[d]) {
      case Distribution::none:
        if (grid[d] != 1) throw std::invalid_argument("an undistributed dimension needs one process");
        break;
      case Distribution::block:
        block = argument == default_argument ? ceiling(axis.size, grid[d]) : argument;
        if (times(block, grid[d]) < axis.size) throw std::invalid_argument("the blocks do not cover a dimension");
        break;
      case Distribution::cyclic:
        block = argument == default_argument ? 1 : argument;
        break;
    }
    part = cyclic(axis, block, place[d], grid[d], part);
  }
  return in_array(std::move(part), sizes, old);
}

}  // namespace heddle::layout
