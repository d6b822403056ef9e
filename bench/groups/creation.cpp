// bench/groups/creation.cpp: times the creation of groups of 10^6 ranks, from a description and
// rank by rank.
#include <random>

#include "group/operations.hpp"
#include "groups/parts.hpp"

namespace heddle::bench {
namespace {

using namespace group;

volatile Rank sink;

template <class Make>
void time(const std::string& name, const char* way, const Options& options, Make make) {
  std::vector<Timed> forms{{[&](long repetitions) {
    while (repetitions-- > 0) sink = make().size();
  }}};
  measure(forms, options.effort());
  print(name, way, "create_ns", forms[0].spread, "ns");
}

}  // namespace

void creation(const Options& options) {
  const Group world = Group::world(1'000'000);
  const std::array<Rank, 3> dims{100, 100, 100}, here{42, 7, 99};
  const Range odd{1, 999'999, 2}, block{250'000, 749'999, 1}, tenth{9, 999'999, 10};
  const Group plane = cart_sub(world, dims, std::array{true, false, true}, here);
  const Group odds = range_incl(world, std::span(&odd, 1)), evens = difference(world, odds);
  std::vector<Range> stretches;
  stretches.reserve(1000);
  for (Rank i = 0; i < 1000; ++i) stretches.push_back({1000 * i + i % 7, 1000 * i + 600 + i % 13, 1});
  const char* const described = "from the description";
  time("dup", described, options, [&] { return Group(world); });
  time("range_incl of every 2nd", described, options, [&] { return range_incl(world, std::span(&odd, 1)); });
  time("range_incl of the middle half", described, options, [&] { return range_incl(world, std::span(&block, 1)); });
  time("range_excl of every 10th", described, options, [&] { return range_excl(world, std::span(&tenth, 1)); });
  time("range_incl of 1000 ranges", described, options, [&] { return range_incl(world, stretches); });
  time("cart_sub: a plane", described, options, [&] { return cart_sub(world, dims, std::array{true, false, true}, here); });
  time("every 10th of a plane left out", described, options, [&] {
    const Range range{9, plane.size() - 1, 10};
    return range_excl(plane, std::span(&range, 1));
  });
  time("union of odd and even", described, options, [&] { return union_of(odds, evens); });
  time("difference of all and odd", described, options, [&] { return difference(world, odds); });
  time("merge of two halves", described, options, [&] { return merge(odds, evens); });

  const char* const pass = "one pass";
  std::vector<Rank> all(1'000'000), shuffled;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Rank>(i);
  shuffled = all;
  std::shuffle(shuffled.begin(), shuffled.end(), std::minstd_rand(3));
  std::vector<bool> coin(all.size());
  std::minstd_rand random(5);
  for (auto&& side : coin) side = (random() >> 8 & 1) != 0;
  const Group half = subset(world, [&](Rank rank, Rank) { return coin[static_cast<std::size_t>(rank)]; });
  const Group other = difference(world, half);
  time("incl of all, listed", pass, options, [&] { return incl(world, all); });
  time("incl of all, shuffled", pass, options, [&] { return incl(world, shuffled); });
  time("a random half, by predicate", pass, options,
       [&] { return subset(world, [&](Rank rank, Rank) { return coin[static_cast<std::size_t>(rank)]; }); });
  time("difference of all and a random half", pass, options, [&] { return difference(world, half); });
  time("union of two random halves", pass, options, [&] { return union_of(half, other); });
}

}  // namespace heddle::bench
