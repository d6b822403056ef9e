// bench/groups/lookup.cpp: times look-ups (rank -> world rank) in random order, by format and size,
// and by depth of derivation.
#include <numeric>
#include <random>

#include "group/operations.hpp"
#include "groups/parts.hpp"
#include "groups/sparse_formats.hpp"

namespace heddle::bench {
namespace {

using group::Rank;
using Ranks = std::vector<Rank>;

volatile Rank sink;  // keeps the compiler from leaving out look-ups

/// Not inlined, so the compiler knows nothing about the group.
[[gnu::noinline]] Rank look_up(const group::Group& group, Rank rank) { return group.world_rank(rank); }
[[gnu::noinline]] Rank look_up(const Ranks& list, Rank rank) { return list[static_cast<std::size_t>(rank)]; }
[[gnu::noinline]] Rank look_up(const sparse_formats::Group& group, Rank rank) { return group.world_rank(rank); }
[[gnu::noinline]] Rank look_back(const group::Group& group, Rank rank) { return group.rank_of(rank); }

Ranks any_order(Rank size) {
  std::minstd_rand random(17);
  Ranks ranks(1 << 14);
  for (Rank& rank : ranks)
    rank = static_cast<Rank>((std::uint64_t{random()} << 20 ^ random()) % static_cast<std::uint64_t>(size));
  return ranks;
}

/// Makes a loop of independent look-ups.
template <class Call>
Timed timed(const Ranks& ranks, Call call) {
  return {[&ranks, call](long repetitions) {
    Rank sum = 0;
    for (std::size_t i = 0; repetitions-- > 0; i = (i + 1) & (ranks.size() - 1)) sum ^= call(ranks[i]);
    sink = sum;
  }};
}

}  // namespace

void lookup(const Options& options) {
  for (const Sample& sample : samples()) {
    for (const Rank size : options.sizes) {
      const group::Group group = sample.make(size);
      const Ranks ranks = any_order(group.size());
      Ranks worlds = ranks;
      for (Rank& rank : worlds) rank = group.world_rank(rank);
      Ranks list;
      group.each([&](Rank rank) { list.push_back(rank); });
      std::vector<Timed> forms{timed(ranks, [&](Rank rank) { return look_up(group, rank); }),
                               timed(ranks, [&](Rank rank) { return look_up(list, rank); }),
                               timed(worlds, [&](Rank rank) { return look_back(group, rank); })};
      measure(forms, options.effort());
      const std::string name = std::to_string(size);
      print(name, sample.name, "lookup_ns", forms[0].spread, "ns");
      print(name, sample.name, "list_ns", forms[1].spread, "ns");
      print(name, sample.name, "back_ns", forms[2].spread, "ns");
      print(name, sample.name, "members_bytes", static_cast<double>(group.bytes()), "B");
    }
  }
}

void depth(const Options& options) {
  constexpr Rank size = 1'000'000;
  for (const Sample& sample : samples()) {
    group::Group group = sample.make(size);
    for (int level = 1; level <= options.depth; ++level) {
      const group::Range first{0, 0, 1};
      group = range_excl(group, std::span(&first, 1));  // one member less: the description changes
      const Ranks ranks = any_order(group.size());
      std::vector<Timed> forms{timed(ranks, [&](Rank rank) { return look_up(group, rank); })};
      measure(forms, options.effort());
      print(std::to_string(level), sample.name, "depth_ns", forms[0].spread, "ns");
    }
  }
}

/// The benchmark of Chaarawi and Gabriel on 512 processes: each level leaves out the odd ranks of
/// the level before. Times the look-up of the last rank.
void hierarchy(const Options& options) {
  struct Way {
    sparse_formats::Kind kind;
    const char* name;
  };
  constexpr std::array<Way, 3> ways{{{sparse_formats::Kind::range, "paper: range"},
                                     {sparse_formats::Kind::strided, "paper: strided"},
                                     {sparse_formats::Kind::bitmap, "paper: bitmap"}}};
  std::array<std::shared_ptr<const sparse_formats::Group>, 3> theirs;
  Ranks list(512);
  std::iota(list.begin(), list.end(), 0);
  group::Group ours = group::Group::world(512);
  for (int level = 0; level <= 8; ++level) {
    const Ranks last(1, ours.size() - 1);
    std::vector<Timed> forms{timed(last, [&](Rank rank) { return look_up(ours, rank); }),
                             timed(last, [&](Rank rank) { return look_up(list, rank); })};
    for (const auto& group : theirs)
      if (group) forms.push_back(timed(last, [&](Rank rank) { return look_up(*group, rank); }));
    measure(forms, options.effort());
    const std::string name = std::to_string(level);
    print(name, "heddle", "level_ns", forms[0].spread, "ns");
    print(name, "list", "level_ns", forms[1].spread, "ns");
    for (std::size_t i = 2; i < forms.size(); ++i) print(name, ways[i - 2].name, "level_ns", forms[i].spread, "ns");

    for (std::size_t i = 0; i < ways.size(); ++i) theirs[i] = sparse_formats::even(ways[i].kind, ours.size(), theirs[i]);
    const group::Range odd{1, ours.size() - 1, 2};
    ours = range_excl(ours, std::span(&odd, 1));
    for (Rank rank = 0; rank < ours.size(); ++rank) list[static_cast<std::size_t>(rank)] = ours.world_rank(rank);
    if (level == 8) break;
  }
}

}  // namespace heddle::bench
