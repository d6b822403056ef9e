// bench/groups/samples.cpp: for each format, groups of any size that get this format.
#include <random>
#include <stdexcept>

#include "group/formats.hpp"
#include "group/operations.hpp"
#include "groups/parts.hpp"

namespace heddle::bench {
namespace {

using namespace group;

Group kept(Encoder& encoder, Format format) {
  Group made = encoder.finish();
  if (made.format() != format) {
    throw std::logic_error("a group meant to show " + std::string(entry(format).name) + " is kept as " +
                           std::string(entry(made.format()).name));
  }
  return made;
}

Group whole(Rank ranks) { return Group::world(ranks); }

Group column(Rank ranks) {
  const Range range{7, ranks - 1, 30};
  return range_incl(Group::world(ranks), std::span(&range, 1));
}

/// A plane across the middle dimension of a cube of ranks.
Group plane(Rank ranks) {
  Rank side = 1;
  while (static_cast<std::int64_t>(side + 1) * (side + 1) * (side + 1) <= ranks) ++side;
  const std::array<Rank, 3> dims{side, side, side}, here{0, side / 2, 0};
  return cart_sub(Group::world(ranks), dims, std::array{true, false, true}, here);
}

/// Stretches of 1 ... 2·length ranks, with gaps of such lengths.
Group stretches(Rank ranks, Rank length) {
  std::minstd_rand random(5);
  Encoder encoder;
  const auto some = [&] { return 1 + static_cast<Rank>(random() >> 3) % (2 * length); };
  for (Rank at = some(); at < ranks;) {
    const Rank size = std::min(some(), ranks - at);
    encoder.add(Piece::run(at, 1, size));
    at += size + some();
  }
  return kept(encoder, Format::ranges);
}

/// Eight stretches.
Group few_ranges(Rank ranks) {
  Encoder encoder;
  for (Rank i = 0; i < 8; ++i) encoder.add(Piece::run(ranks / 8 * i + i * i, 1, ranks / 12 + 3 * i));
  return kept(encoder, Format::ranges);
}

Group many_ranges(Rank ranks) { return stretches(ranks, 60); }

Group merged(Rank ranks) {
  const Group world = Group::world(ranks);
  const Range back{ranks - 1, ranks / 2, -1}, front{0, ranks / 2 - 1, 3};
  return merge(range_incl(world, std::span(&back, 1)), range_incl(world, std::span(&front, 1)));
}

Group half(Rank ranks) {
  std::minstd_rand random(7);
  Encoder encoder;
  for (Rank rank = 0; rank < ranks; ++rank)
    if (random() >> 8 & 1) encoder.add(rank);
  return kept(encoder, Format::bitmap);
}

Group shuffled(Rank ranks) {
  std::vector<Rank> all(static_cast<std::size_t>(ranks));
  for (Rank rank = 0; rank < ranks; ++rank) all[static_cast<std::size_t>(rank)] = rank;
  std::shuffle(all.begin(), all.end(), std::minstd_rand(9));
  Encoder encoder;
  for (const Rank rank : all) encoder.add(rank);
  return kept(encoder, Format::list);
}

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {"identity", whole},           {"stride", column}, {"ranges, 8", few_ranges}, {"grid", plane}, {"chain, 2", merged},
      {"ranges, many", many_ranges}, {"bitmap", half},   {"list", shuffled},
  };
  return all;
}

}  // namespace heddle::bench
