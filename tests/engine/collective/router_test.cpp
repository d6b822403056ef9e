// Runs the crystal router with all its ranks in one process, with any number of ranks, radix,
// channels and segments. Every message arrives once, whole, in order. No round waits for a message
// that no rank sends.
#include "engine/collective/router.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "network.hpp"

namespace heddle::engine::router_test {
namespace {

using test::Content;
using test::Network;

Content content(Rank from, Rank to, std::size_t number, Bytes bytes) {
  Content all(static_cast<std::size_t>(bytes));
  auto state = static_cast<std::uint32_t>(from * 7919 + to * 104729) + static_cast<std::uint32_t>(number) * 31 + 1;
  for (std::byte& one : all) one = static_cast<std::byte>((state = state * 1664525U + 1013904223U) >> 24);
  return all;
}

/// Every second message is packed only with its bundle.
class Load final : public Freight {
 public:
  explicit Load(const std::vector<Content>& contents) : contents_(contents) {}
  void pack(std::size_t number, std::byte* to) override {
    ++packed;
    std::ranges::copy(contents_[number], to);
  }
  int packed = 0;

 private:
  const std::vector<Content>& contents_;
};

struct RankOf {
  std::vector<Content> contents;
  std::vector<Rank> to;
  Network::Sends sends;
  std::unique_ptr<Load> load;
  std::unique_ptr<Router> router;
};

/// bytes(from, k): the length of message k of rank `from`. to(from, k): its destination.
struct Job {
  schedule::Place place;
  Router::Options options;
  std::function<int(Rank)> many;
  std::function<Rank(Rank, int)> to;
  std::function<Bytes(Rank, int)> bytes;
};

std::vector<RankOf> run(const Job& job) {
  Network network(job.place.ranks, Network::Reads::at_once);
  std::vector<RankOf> ranks(static_cast<std::size_t>(job.place.ranks));
  std::map<std::pair<Rank, Rank>, std::vector<Content>> expected;
  for (Rank me = 0; me < job.place.ranks; ++me) {
    RankOf& rank = ranks[static_cast<std::size_t>(me)];
    for (int k = 0; k < job.many(me); ++k) {
      rank.to.push_back(job.to(me, k));
      rank.contents.push_back(content(me, rank.to.back(), static_cast<std::size_t>(k), job.bytes(me, k)));
      expected[{me, rank.to.back()}].push_back(rank.contents.back());
    }
    rank.load = std::make_unique<Load>(rank.contents);
    rank.router = std::make_unique<Router>(job.place, me, job.options, network[me], *rank.load);
    for (std::size_t k = 0; k < rank.to.size(); ++k)
      rank.router->add(rank.to[k], static_cast<Bytes>(rank.contents[k].size()), k % 2 ? rank.contents[k].data() : nullptr, k);
  }
  for (schedule::Count k = 0; k < ranks[0].router->rounds(); ++k) {
    for (RankOf& rank : ranks) rank.router->send(k);
    for (RankOf& rank : ranks) rank.router->receive();
  }
  EXPECT_TRUE(network.empty());
  EXPECT_FALSE(network.stuck || network.overflow || network.nothing);
  for (Rank me = 0; me < job.place.ranks; ++me) {
    ranks[static_cast<std::size_t>(me)].sends = network.sends_of(me);
    std::map<Rank, std::vector<Content>> got;
    for (const Router::Packet& one : ranks[static_cast<std::size_t>(me)].router->arrived())
      got[one.from].emplace_back(one.at, one.at + one.bytes);
    std::size_t wanted = 0;
    for (const auto& [pair, contents] : expected)
      if (pair.second == me) {
        ++wanted;
        EXPECT_TRUE(got[pair.first] == contents) << "from " << pair.first << " to " << me << " of " << job.place.ranks;
      }
    EXPECT_EQ(got.size(), wanted);
  }
  return ranks;
}

Job sparse(Rank ranks, unsigned seed, Bytes most) {
  const auto random = [seed](Rank a, int b, unsigned below) {
    std::seed_seq mixed{seed, static_cast<unsigned>(a), static_cast<unsigned>(b)};
    return static_cast<unsigned>(std::mt19937(mixed)()) % below;
  };
  Job job;
  job.place.ranks = ranks;
  job.many = [=](Rank me) { return static_cast<int>(random(me, -1, 6)); };
  job.to = [=](Rank me, int k) { return static_cast<Rank>(random(me, 2 * k, static_cast<unsigned>(ranks))); };
  job.bytes = [=](Rank me, int k) {
    const unsigned kind = random(me, 2 * k + 1, 8);
    return kind == 0 ? 0 : kind < 7 ? Bytes{kind * 13} : Bytes{random(me, 1000 + k, static_cast<unsigned>(most))};
  };
  return job;
}

}  // namespace

TEST(Router, EveryNumberOfRanks) {
  for (Rank ranks = 1; ranks <= 70; ++ranks) run(sparse(ranks, static_cast<unsigned>(ranks), 30'000));
  run(sparse(301, 1, 20'000));
}

TEST(Router, EveryRadixChannelAndSegment) {
  for (const Rank ranks : {2, 7, 17})
    for (const int radix : {2, 3, 4, 9})
      for (const int channels : {1, 2, 5})
        for (const Bytes segment : {Bytes{0}, Bytes{1000}, Bytes{65'536}})
          for (const bool copies : {false, true}) {
            Job job = sparse(ranks, static_cast<unsigned>(radix * 10 + channels), 200'000);
            job.place.radix = radix;
            job.place.channels = channels;
            job.options = {.segment = segment, .copies = copies};
            run(job);
          }
}

// Bundles can travel by the rounds of any Alltoallv schedule.
TEST(Router, EveryScheduleOfAnAlltoallv) {
  for (const Rank ranks : {1, 2, 5, 12, 17, 40}) {
    std::vector<Rank> node_of_rank;
    for (Rank rank = 0; rank < ranks; ++rank) node_of_rank.push_back(rank % 3);
    const schedule::Nodes nodes(node_of_rank);
    for (const schedule::Algorithm* algorithm : schedule::alltoallv())
      for (const int radix : {2, 4})
        for (const bool copies : {false, true}) {
          SCOPED_TRACE(std::string(algorithm->name) + ", " + std::to_string(ranks) + " ranks");
          Job job = sparse(ranks, static_cast<unsigned>(ranks), 50'000);
          job.place.radix = radix;
          job.place.nodes = &nodes;
          job.options = {.copies = copies, .algorithm = algorithm};
          run(job);
        }
  }
}

TEST(Router, NobodySendsAnything) {
  Job job = sparse(13, 0, 1);
  job.many = [](Rank) { return 0; };
  for (const RankOf& rank : run(job)) EXPECT_TRUE(rank.router->arrived().empty());
}

TEST(Router, AllToOneAndToOneself) {
  Job job = sparse(11, 4, 1);
  job.many = [](Rank) { return 3; };
  job.to = [](Rank me, int k) { return k == 1 ? me : Rank{7}; };
  job.bytes = [](Rank me, int k) { return Bytes{me} * 1000 * k; };
  run(job);
}

// With short bundles and P a power of two, each rank sends ceil(log2 P) messages and no more
// (Schliephake and Laure 2013, §3).
TEST(Router, ShortBundlesTakeLog2Messages) {
  Job job = sparse(64, 9, 1);
  job.many = [](Rank) { return 26; };
  job.to = [](Rank me, int k) { return (me + k + 1) % 64; };
  job.bytes = [](Rank, int) { return 8; };
  for (const RankOf& rank : run(job)) EXPECT_EQ(rank.sends.messages, 6u);
  job.place.radix = 4;
  for (const RankOf& rank : run(job)) EXPECT_EQ(rank.sends.messages, 9u);  // three in each of three rounds
}

// The first improvement: no long message is copied within a rank, whatever the number of rounds.
TEST(Router, LongMessagesGoOnFromWhereTheyLie) {
  Job job = sparse(16, 2, 1);
  job.many = [](Rank) { return 4; };
  job.to = [](Rank me, int k) { return (me + 5 * k + 3) % 16; };
  job.bytes = [](Rank, int) { return 100'000; };
  Bytes copied = 0;
  Bytes sent = 0;
  for (const RankOf& rank : run(job)) {
    copied += rank.router->tally().copied;
    sent += rank.router->tally().sent;
    EXPECT_EQ(rank.load->packed, 2);  // each message straight into its bundle, once
    EXPECT_GT(rank.sends.most_pieces, 1u);
  }
  EXPECT_LT(copied * 8, sent);  // first messages of 8 KiB
  job.options.copies = true;
  Bytes original = 0;
  for (const RankOf& rank : run(job)) original += rank.router->tally().copied;
  EXPECT_GT(original, 2 * sent);
}

// A message that is too long to be moved several times. Its bytes travel beside the bundle, and its
// receiver learns of it in order.
TEST(Router, AnnouncedOnesArriveInTurnWithoutTheirBytes) {
  Network network(5, Network::Reads::at_once);
  const std::vector<Content> contents{content(0, 4, 0, 10), content(0, 4, 1, 20)};
  std::vector<std::unique_ptr<Router>> routers;
  Load load(contents);
  for (Rank me = 0; me < 5; ++me) {
    routers.push_back(std::make_unique<Router>(schedule::Place{.ranks = 5}, me, Router::Options{}, network[me], load));
  }
  routers[0]->add(4, 10, nullptr, 0);
  routers[0]->announce(4, Bytes{5} << 40);
  routers[0]->add(4, 20, contents[1].data());
  for (schedule::Count k = 0; k < routers[0]->rounds(); ++k) {
    for (auto& router : routers) router->send(k);
    for (auto& router : routers) router->receive();
  }
  const std::vector<Router::Packet>& arrived = routers[4]->arrived();
  ASSERT_EQ(arrived.size(), 3u);
  EXPECT_EQ(Content(arrived[0].at, arrived[0].at + 10), contents[0]);
  EXPECT_TRUE(arrived[1].beside);
  EXPECT_EQ(arrived[1].bytes, Bytes{5} << 40);
  EXPECT_EQ(Content(arrived[2].at, arrived[2].at + 20), contents[1]);
}

TEST(Router, WhatIsNoBundleIsRefused) {
  Network network(2, Network::Reads::at_once);
  std::vector<Content> none;
  Load load(none);
  for (const std::int64_t bytes : {std::int64_t{-5}, std::int64_t{16}}) {
    Router router({.ranks = 2}, 0, {}, network[0], load);
    router.send(0);
    const std::int64_t head[2] = {bytes, 3};
    Content bad(sizeof head);
    std::memcpy(bad.data(), head, sizeof head);
    network.forge(1, 0, bad);
    EXPECT_THROW(router.receive(), std::runtime_error);
  }
}

}  // namespace heddle::engine::router_test
