// The algorithms keep their promises with up to 100,000 ranks. These are too many to run, so the
// tests take some ranks, some rounds, and the paths of single blocks.
#include <gtest/gtest.h>

#include <random>

#include "places.hpp"
#include "schedule/algorithms.hpp"

namespace heddle::schedule {
namespace {

constexpr Rank sizes[] = {301, 511, 512, 513, 1000, 4095, 4096, 4097, 30'030, 65'535, 65'536, 65'537, 99'991, 100'000};

class Sampled : public testing::TestWithParam<const Algorithm*> {
 protected:
  /// The algorithm at each size: at two radixes, or with ranks dealt to nodes in two ways.
  template <class Visit>
  void each_place(const Visit& visit) {
    for (const Rank p : sizes) {
      if (GetParam()->by_node) {
        for (const Dealt how : {Dealt::blocks, Dealt::random}) {
          const Nodes nodes = dealt(p, p / 48 + 1, how);
          visit(Place{.ranks = p, .nodes = &nodes});
        }
      } else {
        const Pieces pieces(p, 1000, [&](Rank of) { return of % 97 == 5 ? of % 3500 : 8; });
        visit(Place{.ranks = p, .pieces = &pieces});
        visit(Place{.ranks = p, .radix = 5, .channels = 2});
      }
    }
  }
  Rank some(Rank end) { return static_cast<Rank>(random_() % static_cast<unsigned>(end)); }

 private:
  std::minstd_rand random_{7};
};

/// The messages of one pair in one round, from the sender's or the receiver's list.
template <class List, class Same>
std::vector<std::pair<Ranks, Segment>> between(const List& list, const Same& same) {
  std::vector<std::pair<Ranks, Segment>> found;
  for (const auto& one : list)
    if (same(one)) found.emplace_back(one.what, one.part);
  return found;
}

TEST_P(Sampled, SendsHaveReceivesAndReceivesHaveSends) {
  const Algorithm& algorithm = *GetParam();
  each_place([&](const Place& place) {
    const Count rounds = algorithm.rounds(place);
    for (int sample = 0; sample < 60; ++sample) {
      const Rank rank = sample < 2 ? sample * (place.ranks - 1) : some(place.ranks);
      for (int at = 0; at < 24; ++at) {
        const Count k = rounds <= 24 ? at : at < 2 ? at * (rounds - 1) : some(static_cast<Rank>(rounds));
        if (k >= rounds) break;
        const Round round = algorithm.round(place, rank, k);
        for (const Send& one : round.sends) {
          const Round there = algorithm.round(place, one.to, k);
          ASSERT_EQ(between(round.sends, [&](const Send& s) { return s.to == one.to; }),
                    between(there.receives, [&](const Receive& r) { return r.from == rank; }))
              << algorithm.name << ", P = " << place.ranks << ", rank " << rank << ", round " << k << ", to " << one.to;
        }
        for (const Receive& one : round.receives) {
          const Round there = algorithm.round(place, one.from, k);
          ASSERT_EQ(between(round.receives, [&](const Receive& r) { return r.from == one.from; }),
                    between(there.sends, [&](const Send& s) { return s.to == rank; }))
              << algorithm.name << ", P = " << place.ranks << ", rank " << rank << ", round " << k << ", from " << one.from;
        }
      }
    }
  });
}

class Gathered : public Sampled {};
TEST_P(Gathered, BlocksComeOnceAndAreThereBeforeTheyAreSentOn) {
  const Algorithm& algorithm = *GetParam();
  each_place([&](const Place& place) {
    const Rank rank = some(place.ranks);
    std::vector<Count> has(static_cast<std::size_t>(place.ranks), 0);
    has[static_cast<std::size_t>(rank)] = 1000;
    for (Count k = 0; k < algorithm.rounds(place); ++k) {
      const Round round = algorithm.round(place, rank, k);
      for (const Send& one : round.sends) {
        one.what.for_each([&](Rank origin) { ASSERT_GT(has[static_cast<std::size_t>(origin)], one.part.index); });
      }
      for (const Receive& one : round.receives) {
        one.what.for_each([&](Rank origin) {
          ASSERT_EQ(has[static_cast<std::size_t>(origin)]++, one.part.index)
              << algorithm.name << ", P = " << place.ranks << ", rank " << rank << ", origin " << origin;
        });
      }
    }
    for (Rank origin = 0; origin < place.ranks; ++origin) {
      const bool cut = &algorithm == &allgatherv_pipelined_ring && place.pieces != nullptr;
      const Count all = origin == rank ? 1000 : cut ? place.pieces->of(origin) : 1;
      ASSERT_EQ(has[static_cast<std::size_t>(origin)], all)
          << algorithm.name << ", P = " << place.ranks << ", origin " << origin;
    }
  });
}

class Routed : public Sampled {};
TEST_P(Routed, BlocksArrive) {
  const Algorithm& algorithm = *GetParam();
  each_place([&](const Place& place) {
    const Count rounds = algorithm.rounds(place);
    for (int sample = 0; sample < (rounds > 1000 ? 2 : 50); ++sample) {
      const Rank origin = some(place.ranks);
      const Rank to = some(place.ranks);
      Rank at = origin;
      for (Count k = 0; k < rounds; ++k) {
        Rank next = at;
        for (const Send& one : algorithm.round(place, at, k).sends) {
          if (one.part.index > 0 || !one.what.contains(to)) continue;
          ASSERT_EQ(next, at) << "goes two ways";
          next = one.to;
        }
        at = next;
      }
      ASSERT_EQ(at, to) << algorithm.name << ", P = " << place.ranks << ", from " << origin;
    }
  });
}

std::string name_of(const testing::TestParamInfo<const Algorithm*>& one) {
  std::string name(one.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Allgatherv, Sampled, testing::ValuesIn(allgatherv().begin(), allgatherv().end()), name_of);
INSTANTIATE_TEST_SUITE_P(Alltoallv, Sampled, testing::ValuesIn(alltoallv().begin(), alltoallv().end()), name_of);
INSTANTIATE_TEST_SUITE_P(Allgatherv, Gathered, testing::ValuesIn(allgatherv().begin(), allgatherv().end()), name_of);
INSTANTIATE_TEST_SUITE_P(Alltoallv, Routed, testing::ValuesIn(alltoallv().begin(), alltoallv().end()), name_of);

}  // namespace
}  // namespace heddle::schedule
