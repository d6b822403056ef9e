// tool/tune/fit_links.cpp: computes three unknowns from three calls: a turn, a message, and the
// extra cost of regrouping in a round.
#include "tool/tune/fit_links.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "schedule/schedule.hpp"

namespace heddle::tool {

Taken taken(const std::vector<double>& numbers) {
  constexpr std::size_t some = 3;
  constexpr std::size_t shared = 8;
  constexpr std::size_t holes = select::Curve::points;
  constexpr std::size_t sizes[] = {some, some + holes, shared, shared + holes};
  if (std::ranges::find(sizes, numbers.size()) == std::end(sizes))
    throw std::invalid_argument(
        "messages are three numbers (one, burst, long). Numbers of shared cores may follow (pairs, bundles, rounds, ranks, "
        "cores), and a number for each length of blocks with holes");
  if (!std::ranges::all_of(numbers, [](double value) { return std::isfinite(value) && value > 0; }))
    throw std::invalid_argument("times of messages are greater than zero");
  Taken of{numbers[0], numbers[1], numbers[2]};
  const bool with_holes = numbers.size() == some + holes || numbers.size() == shared + holes;
  if (with_holes) of.holes.assign(numbers.end() - holes, numbers.end());
  if (numbers.size() - of.holes.size() == shared) {
    of.pairs = numbers[3], of.bundles = numbers[4], of.rounds = numbers[5], of.ranks = numbers[6], of.cores = numbers[7];
    if (of.ranks < 3 || of.ranks > 1e6)
      throw std::invalid_argument("messages on shared cores are measured among 3 ranks or more");
  }
  return of;
}

select::Links fitted(const Taken& taken, const select::Links& otherwise, select::Links& kept) {
  constexpr double in_burst = 16;
  constexpr double mib = 1 << 20;
  constexpr double least = 1;
  constexpr double least_byte = 1e-3;
  constexpr double heading = 16, block = 8;
  const double unknown = std::nan("");
  select::Links links = otherwise;
  links.node.latency = taken.one;
  if (const double message = (taken.burst - taken.one) / (in_burst - 1); message > least)
    links.node.message = message;
  else
    kept.node.message = unknown;
  if (const double byte = (taken.longest - taken.one) / mib; byte > least_byte)
    links.node.byte = byte;
  else
    kept.node.byte = unknown;
  const double crowding = std::max(1.0, taken.ranks / std::max(1.0, taken.cores));
  const double rounds = taken.ranks > 0 ? schedule::logarithm(static_cast<schedule::Rank>(taken.ranks)) : 1;
  const double round = taken.rounds / (crowding * rounds);
  const double shared = (taken.pairs / crowding - round) / (taken.ranks - 2);
  if (taken.ranks == 0 || shared <= least) {  // the three costs come from each other
    kept.turn = kept.shared = kept.regroup = unknown;
    return links;
  }
  links.shared = std::min(shared, std::max(least, round));
  links.turn = std::max(0.0, round - links.shared);
  // Half of a rank's data moves on in each round.
  const double handled = (taken.ranks - 1) / 2 * (links.block + (heading + block) * links.copy);
  links.regroup = std::max(0.0, taken.bundles / (crowding * rounds) - round - handled);
  return links;
}

select::Curve fitted_holes(const Taken& taken) {
  constexpr double least = 1e-3;
  select::Curve curve;
  for (std::size_t i = 0; i < taken.holes.size(); ++i)
    curve.ns[i] = std::max(least, (taken.holes[i] - taken.one) / holed_bytes);
  return curve;
}

}  // namespace heddle::tool
