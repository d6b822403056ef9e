// tool/tune/fit_nodes.cpp: the cost of a byte, a segment or an operation is a difference of two
// times, within bounds.
#include "tool/tune/fit_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace heddle::tool {

TakenBetween taken_between(const std::vector<double>& numbers) {
  constexpr std::size_t all = 8;
  if (numbers.size() != all || !std::ranges::all_of(numbers, [](double value) { return std::isfinite(value) && value > 0; }))
    throw std::invalid_argument("messages between nodes are eight numbers greater than zero: seven times, and operations");
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7]};
}

select::BetweenNodes fitted(const TakenBetween& taken, const std::string& provider) {
  using Of = TakenBetween;
  constexpr double least = 1;
  constexpr double least_byte = 1e-3;
  constexpr double longer = Of::long_bytes - Of::short_bytes;
  select::BetweenNodes nodes;
  if (!nodes.set_name(provider.substr(0, provider.find(';'))) || !nodes.measured())
    throw std::invalid_argument("\"" + provider.substr(0, 60) + "\" is no name of a provider of libfabric");
  nodes.byte = std::max(least_byte, (taken.message_long - taken.message_short) / longer);
  nodes.message = std::max(least, taken.message_short - Of::short_bytes * nodes.byte);
  // Long segments hide a part of the cost of a hand-over that short segments show. So the cost is
  // at most half of the time of long segments.
  const double more = std::max(0.0, taken.fabric_long - taken.fabric_short);
  const double more_segments = std::clamp(taken.fabric_cut - taken.fabric_short, 0.0, more / 2);
  nodes.segment = more_segments / (Of::segments - 1);
  nodes.fabric_byte = std::max(least_byte, (more - more_segments) / longer);
  nodes.greeting = std::max(least, taken.fabric_short - nodes.segment - Of::short_bytes * nodes.fabric_byte);
  nodes.operation = std::max(0.0, (taken.gathered - taken.packed) / std::max(1.0, taken.operations - 1));
  return nodes;
}

}  // namespace heddle::tool
