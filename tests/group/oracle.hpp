// tests/group/oracle.hpp: groups beside plain vectors of world ranks, derived from each other at random.
//
// Every random number comes from Dice: a seeded generator for many cases, or a list that RapidCheck makes and shrinks.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "group/group.hpp"

namespace heddle::group::test {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seeded_(seed) {}
  explicit Dice(std::span<const std::uint32_t> choices) : choices_(choices), listed_(true) {}
  /// 0 ... sides - 1; a list that has run out always throws zero.
  int throw_one(int sides);
  bool one_in(int chance) { return throw_one(chance) == chance - 1; }

 private:
  std::minstd_rand seeded_;
  std::span<const std::uint32_t> choices_;
  bool listed_ = false;
};

/// A group, and what it must be.
struct Pair {
  Group group;
  std::vector<Rank> ranks;
  std::string made;  ///< By which calls.
};

/// Mostly small, sometimes thousands.
int world_size(Dice& dice);
Pair world(int size);
/// One call of operations.hpp or compose.hpp, at random, done to both.
Pair derive(const Pair& from, int world, Dice& dice);
/// A chain of derivations.
Pair derived(int world, int depth, Dice& dice);

/// What differs between the two, or nothing: sizes, ranks both ways, bytes.
std::string difference_of(const Pair& pair, int world);

}  // namespace heddle::group::test
