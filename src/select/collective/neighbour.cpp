// select/collective/neighbour.cpp: whether what goes to the neighbours of a grid is worth combining.
#include <fmt/format.h>

#include "schedule/algorithms.hpp"
#include "select/collective/choose.hpp"

namespace heddle::select {
namespace {}  // namespace

Ways ways_neighbour(const NeighbourFacts& facts) {
  const auto way = [&](const Algorithm& algorithm, const Load& load, double work, double blocks, double copied) {
    Way one{.algorithm = &algorithm, .blocks = blocks, .copied = copied, .work = work};
    (facts.nodes > 1 ? one.network : one.node) = load;
    return timed(one, facts);
  };
  Ways ways;
  ways.push(way(schedule::neighbour_direct, {1, static_cast<double>(facts.neighbours), facts.bytes}, facts.bytes, 0, 0));
  if (facts.grid) {
    const Load load{static_cast<double>(facts.rounds), static_cast<double>(facts.messages), facts.moved};
    ways.push(way(schedule::neighbour_combining, load, facts.moved, facts.moves, facts.moved));
  }
  return ways;
}

Way choose_neighbour(const NeighbourFacts& facts) { return quickest(ways_neighbour(facts)); }

std::string why_neighbour(const NeighbourFacts& facts) {
  const std::string about =
      fmt::format("{:.0f} B for {} neighbours{}", facts.bytes, facts.neighbours, facts.grid ? " on a grid" : "");
  return explain(ways_neighbour(facts), about, facts);
}

}  // namespace heddle::select
