// Shared by the tests of collectives: rounds of random types, and buffers of several blocks.
#pragma once

#include "support/exchange.hpp"
#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test {

/// One round of a collective: the choices that all ranks share, and those of this rank.
struct Round {
  Round(const Team& t, std::uint32_t number)
      : team(t),
        seed(run_seed() + 7919 * number + 131 * static_cast<std::uint32_t>(t.size)),
        common_choices(choices_of(seed)),
        own_choices(choices_of(seed + 1 + (types_may_differ() ? static_cast<std::uint32_t>(t.rank) : 0))),
        common(common_choices),
        own(own_choices),
        unit(random_unit(common)),
        units(large(unit) && common.rarely(6) ? common.between(500, 4000) : common.between(0, 6)),
        root(static_cast<int>(common.upto(t.size - 1))),
        in_place(common.rarely(3)) {}

  const Team& team;
  std::uint32_t seed;
  Choices common_choices, own_choices;
  Chooser common, own;
  Unit unit;    ///< The signature of a block is `units` of it.
  Count units;  ///< Seldom many. Then the host takes other algorithms.
  int root;
  bool in_place;

  /// Open MPI 5.0.11 alone hangs in Allgatherv and Bcast when ranks describe one signature by types
  /// of different sizes.
  static bool types_may_differ() {
#if defined(OPEN_MPI)
    return expected() == Expected::on;
#else
    return true;
#endif
  }
  /// MPICH 5.0.2 cannot receive messages of mixed or predefined pair types in several segments
  /// ("signature does not match"). So it gets only small messages when it runs alone, or when the
  /// signature alternates: Heddle hands that on as a pair type.
  static bool large(const Unit& unit) {
    bool alternating = unit.size() % 2 == 0 && unit[0] != unit[1];
    for (std::size_t i = 0; i < unit.size(); ++i) alternating = alternating && unit[i] == unit[i % 2];
    return expected() == Expected::on && !alternating;
  }
  [[nodiscard]] bool at_root() const { return team.rank == root; }
  /// The units that rank `from` has for rank `to` in the v and w procedures. Some ranks have none.
  [[nodiscard]] Count volume(int from, int to) const {
    const std::uint32_t mixed =
        (seed ^ (static_cast<std::uint32_t>(from) * 2654435761U + static_cast<std::uint32_t>(to) * 40503U)) >> 3;
    return mixed % 4 == 0 ? 0 : (mixed / 4) % (units > 100 ? 400 : 5);
  }
  [[nodiscard]] Memory from(int source, int destination, Bytes size) const { return message(seed, source, destination, size); }
};

template <class Body>
void each_round(const Team& team, int usual, Body body) {
  for (int number = 0; number < rounds(usual); ++number) {
    Round round(team, static_cast<std::uint32_t>(number));
    body(round, number);
  }
}

/// `many` blocks one after the other, as in MPI_Gather.
inline std::vector<Area::Block> blocks(const Side& side, int many) {
  std::vector<Area::Block> all;
  for (int i = 0; i < many; ++i) all.push_back({side.shape, side.count, i * side.count * side.extent()});
  return all;
}

/// Counts and displacements of a v procedure, with gaps between blocks, forwards or backwards.
struct Spread {
  std::vector<int> counts, displacements;
  std::vector<Area::Block> blocks;

  Spread(const Side& element, const std::vector<Count>& volumes, bool backwards) {
    Count at = 0;
    const std::size_t n = volumes.size();
    counts.reserve(n + 1), displacements.reserve(n + 1);  // so there is an address even without ranks
    counts.resize(n), displacements.resize(n), blocks.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = backwards ? n - 1 - k : k;
      counts[i] = static_cast<int>(volumes[i] * element.count);
      displacements[i] = static_cast<int>(at);
      blocks[i] = {element.shape, counts[i], at * element.extent()};
      at += counts[i] + static_cast<Count>(k % 2);
    }
  }
};

/// Counts, displacements in bytes, and types of a w procedure.
template <class Displacement>
struct Mosaic {
  Mosaic() { counts.reserve(1), displacements.reserve(1), types.reserve(1); }

  std::vector<Side> sides;
  std::vector<int> counts;
  std::vector<Displacement> displacements;
  std::vector<MPI_Datatype> types;
  std::vector<Area::Block> blocks;

  void add(const Side& side) {
    const layout::Layout& l = side.shape->layout;
    at_ += std::max<Bytes>(0, -l.true_lower_bound());
    sides.push_back(side);
    counts.push_back(side.number());
    types.push_back(side.type);
    displacements.push_back(static_cast<Displacement>(at_));
    blocks.push_back({side.shape, side.count, at_});
    at_ += std::max<Bytes>(0, side.count - 1) * side.extent() + l.true_lower_bound() + l.true_extent() + 24;
  }

 private:
  Bytes at_ = 0;
};

#define HOLDS(area, what) \
  EXPECT_TRUE((area).as_expected()) << (area).difference() << " of " << what << ", round " << number << ", rank " << team.rank

}  // namespace heddle::test
