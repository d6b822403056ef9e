// tests/group/oracle.hpp: groups beside plain vectors of world ranks. Both are derived at random by
// the same calls.
//
// Every random number comes from Dice: a seeded generator for many cases, or a list that RapidCheck
// makes and shrinks.
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

/// A group, and the world ranks that it must have.
struct Pair {
  Group group;
  std::vector<Rank> ranks;
  std::string made;  ///< The calls that made it.
};

/// Mostly small, sometimes thousands.
int world_size(Dice& dice);
Pair world(int size);
/// Applies one random call of operations.hpp or compose.hpp to both.
Pair derive(const Pair& from, int world, Dice& dice);
/// A chain of derivations.
Pair derived(int world, int depth, Dice& dice);

/// The difference between the two in sizes, ranks both ways, or bytes. Empty: none.
std::string difference_of(const Pair& pair, int world);

}  // namespace heddle::group::test
