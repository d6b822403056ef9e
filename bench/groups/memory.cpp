// bench/groups/memory.cpp: compares the bytes of groups with those of lists of pointers (8 bytes
// for each member, the PList of Chaarawi and Gabriel 2008).
#include <algorithm>
#include <random>

#include "group/formats.hpp"
#include "group/operations.hpp"
#include "groups/parts.hpp"

namespace heddle::bench {
namespace {

using namespace group;

struct Bytes {
  std::size_t members = 0, footprint = 0, list = 0, most = 0;

  void add(const Group& group) {
    members += group.bytes();
    footprint += group.footprint();
    list += 8 * static_cast<std::size_t>(group.size());
    most = std::max(most, group.footprint());
  }
};

void tell(const std::string& name, const std::string& variant, const Bytes& bytes) {
  print(name, variant, "members_bytes", static_cast<double>(bytes.members), "B");
  print(name, variant, "with_object_bytes", static_cast<double>(bytes.footprint), "B");
  print(name, variant, "largest_group_bytes", static_cast<double>(bytes.most), "B");
  print(name, "pointers", "members_bytes", static_cast<double>(bytes.list), "B");
}

void tell(const std::string& name, const Group& group) {
  Bytes bytes;
  bytes.add(group);
  tell(name, std::string(entry(group.format()).name), bytes);
}

Group strided(const Group& group, Rank first, Rank last, Rank stride) {
  const Range range{first, last, stride};
  return range_incl(group, std::span(&range, 1));
}

/// The three communicators of HPL on 300 × 300 processes, at the process where they need most
/// memory.
void hpl() {
  const Group world = Group::world(90'000);
  Bytes most;
  for (Rank me = 0; me < world.size(); ++me) {
    Bytes mine;
    const Rank row = me / 300, column = me % 300;
    for (const Group& one :
         {world, strided(world, 300 * row, 300 * row + 299, 1), strided(world, column, column + 89'700, 300)})
      mine.add(one);
    if (mine.members > most.members) most = mine;
  }
  tell("HPL, 300 × 300: dup, row, column", "heddle", most);
  print("HPL, 300 × 300: dup, row, column", "paper", "members_bytes", 58, "B");
}

void cartesian() {
  const Group world = Group::world(1'000'000);
  const std::array<Rank, 3> dims{100, 100, 100}, here{42, 7, 99};
  for (int remaining = 1; remaining < 7; ++remaining) {
    const std::array<bool, 3> remain{(remaining & 4) != 0, (remaining & 2) != 0, (remaining & 1) != 0};
    std::string name = "100 × 100 × 100: ";
    for (std::size_t d = 0; d < 3; ++d) name += (d > 0 ? ", " : "") + (remain[d] ? "*" : std::to_string(here[d]));
    const Group part = cart_sub(world, dims, remain, here);
    tell(name, part);
    tell(name + ": all others", difference(world, part));
  }
}

void irregular() {
  const Group world = Group::world(1'000'000);
  for (const Rank k : {2, 3, 10, 1000}) {
    const Range every{k - 1, (world.size() - k) / k * k + k - 1, k};
    tell("1,000,000 without every " + std::to_string(k) +
             (k == 2   ? "nd"
              : k == 3 ? "rd"
                       : "th"),
         range_excl(world, std::span(&every, 1)));
  }
  std::minstd_rand random(11);
  tell("a random half of 1,000,000", subset(world, [&](Rank, Rank) { return (random() >> 8 & 1) != 0; }));
  tell("a random 1/1000 of 1,000,000", subset(world, [&](Rank, Rank) { return random() % 1000 == 0; }));
  std::vector<Rank> order(100'000);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Rank>(i);
  std::shuffle(order.begin(), order.end(), random);
  tell("100,000 shuffled", incl(world, order));
}

/// An application with very many communicators: duplicates, lines, planes and blocks of 10^6 ranks.
void ten_thousand() {
  const Group world = Group::world(1'000'000);
  const std::array<Rank, 3> dims{100, 100, 100};
  std::minstd_rand random(13);
  Bytes all;
  for (int i = 0; i < 10'000; ++i) {
    const auto some = [&] { return static_cast<Rank>(random() >> 4) % 100; };
    const std::array<Rank, 3> here{some(), some(), some()};
    const int remaining = i % 8;
    all.add(cart_sub(world, dims, std::array{(remaining & 4) != 0, (remaining & 2) != 0, (remaining & 1) != 0}, here));
  }
  tell("10,000 communicators: world, planes, lines, self", "heddle", all);
}

}  // namespace

void memory() {
  hpl();
  cartesian();
  irregular();
  ten_thousand();
}

}  // namespace heddle::bench
