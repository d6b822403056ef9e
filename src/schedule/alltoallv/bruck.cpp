// schedule/alltoallv/bruck.cpp: a block's distance is written in digits of a radix. The block
// travels one digit in each round.
//
//   P = 8, radix 2, distances from a rank:   1 2 3 4 5 6 7
//   round 0, all odd ones go 1 ahead:        0 2 2 4 4 6 6      (a message each)
//   round 1, those with 2 go 2 ahead:        0 0 0 4 4 4 4
//   round 2, the rest goes 4 ahead:          0 0 0 0 0 0 0
//
// If no rank sends further than `reach` around the ring, a distance is a two's complement of as few
// binary digits as `reach` needs. The last digit goes back.
//
//   reach 2, any P, distances:              -2 -1  1  2
//   round 0, odd ones go 1 ahead:           -2 -2  0  2
//   round 1, those with 2 go 2 ahead:       -4 -4  0  0
//   round 2, the rest goes 4 back:           0  0  0  0
//
// If `stride` divides all distances, they are counted in strides, and need fewer digits.
//
// With radix d a round has d - 1 messages. Cost: ceil(log_d P) rounds of (d - 1)α. Each byte moves
// once for each digit of its distance that is not zero. Unlike in crystal, every rank always has
// one partner each way for a digit, at any P. But the blocks of a bundle lie far apart. Source:
// Bruck et al. 1997; any radix for irregular volumes: Fan et al. 2024 (TuNA).
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

int radix(const Place& place) { return std::clamp(place.radix, 2, most_radix); }

Count rounds(const Place& place) {
  const int digits = bruck_digits(place);
  return digits > 0 ? digits : logarithm(place.ranks, radix(place));
}

Round near_round(const Place& place, Rank rank, Count k) {
  const Rank p = place.ranks;
  const std::int64_t stride = place.stride;
  const std::int64_t lowest = -(std::int64_t{1} << (bruck_digits(place) - 1));  // in strides
  const bool back = k + 1 == bruck_digits(place);
  const std::int64_t step = back ? lowest : std::int64_t{1} << k;
  const std::int64_t first = back ? lowest : lowest + step;
  const auto blocks = static_cast<Rank>(back ? 1 : -lowest / step);
  const auto period = static_cast<Rank>(back ? 1 : 2 * step * stride);
  Round round;
  round.send(around(rank + step * stride, p), Ranks::every(period, rank + first * stride, blocks, p));
  round.receive(around(rank - step * stride, p), Ranks::every(period, rank + (first - step) * stride, blocks, p));
  return round;
}

Round round(const Place& place, Rank rank, Count k) {
  if (bruck_digits(place) > 0) return near_round(place, rank, k);
  const Rank p = place.ranks;
  std::int64_t weight = 1;
  for (Count i = 0; i < k; ++i) weight *= radix(place);

  // Blocks have already travelled their lower digits: blocks with this digit lie a whole period
  // apart.
  const std::int64_t period = std::min<std::int64_t>(weight * radix(place), p);
  Round round;
  for (std::int64_t away = weight; away < weight * radix(place) && away < p; away += weight) {
    const auto blocks = static_cast<Rank>((p - away + period - 1) / period);
    round.send(around(rank + away, p), Ranks::every(static_cast<Rank>(period), rank + away, blocks, p));
    round.receive(around(rank - away, p), Ranks::every(static_cast<Rank>(period), rank, blocks, p));
  }
  return round;
}

}  // namespace

constinit const Algorithm alltoallv_bruck{
    .name = "bruck",
    .description = "log_radix P rounds of radix - 1 messages: in each round blocks travel one digit of their distance",
    .when = "every rank has a little for every rank, about the same for each",
    .rounds = rounds,
    .round = round,
};

}  // namespace heddle::schedule
