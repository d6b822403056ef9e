// Routes have the right length, and join the right places.
#include "model/network.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace heddle::sim {
namespace {

std::vector<std::size_t> route(const Network& network, Rank from, Rank to) {
  std::vector<std::size_t> links;
  network.route(from, to, links);
  return links;
}

TEST(Network, TheShorterWayAroundATorus) {
  const Network torus("torus", {5, 4, 3});
  EXPECT_EQ(torus.nodes(), 60);
  for (Rank from = 0; from < 60; ++from)
    for (Rank to = 0; to < 60; ++to) {
      const auto apart = [](Rank a, Rank b, Rank length) {
        const Rank ahead = schedule::around(b - a, length);
        return std::min(ahead, length - ahead);
      };
      const Rank hops = apart(from % 5, to % 5, 5) + apart(from / 5 % 4, to / 5 % 4, 4) + apart(from / 20, to / 20, 3);
      EXPECT_EQ(std::ssize(route(torus, from, to)), hops) << from << " to " << to;
    }
}

TEST(Network, NoRouteTakesALinkTwice) {
  for (const Network& network : {Network("torus", {4, 3, 5}), Network("fat-tree", {4, 5, 4}),
                                 Network("dragonfly", {3, 2, 4, 2}), Network("switch", {30})})
    for (Rank from = 0; from < network.nodes(); ++from)
      for (Rank to = 0; to < network.nodes(); ++to) {
        const auto links = route(network, from, to);
        EXPECT_EQ(std::set(links.begin(), links.end()).size(), links.size());
        EXPECT_EQ(links.empty(), from == to);
        for (const std::size_t link : links) EXPECT_LT(link, network.links());
      }
}

TEST(Network, AFatTreeTurnsAtTheFirstCommonSwitch) {
  const Network tree("fat-tree", {4, 3, 4});
  EXPECT_EQ(route(tree, 0, 3).size(), 2);
  EXPECT_EQ(route(tree, 0, 4).size(), 4);
  // Messages of a leaf to different places take different spines, so a shift does not get in its
  // own way.
  std::set<std::size_t> links;
  for (Rank from = 0; from < 12; ++from)
    for (const std::size_t link : route(tree, from, (from + 4) % 12)) EXPECT_TRUE(links.insert(link).second);
}

TEST(Network, ADragonflyHasOneLinkBetweenGroups) {
  const Network dragonfly("dragonfly", {3, 1, 4, 2});
  std::size_t longest = 0;
  for (Rank from = 0; from < 8; ++from)
    for (Rank to = 8; to < 16; ++to) longest = std::max(longest, route(dragonfly, from, to).size());
  EXPECT_EQ(longest, 5) << "up, to the router with the link, over, to the other's router, down";
}

TEST(Network, SizesThatDoNotFitAreSaid) {
  EXPECT_THROW(Network("torus", {4, 4}), std::invalid_argument);
  EXPECT_THROW(Network("torus", {4, 0, 4}), std::invalid_argument);
  EXPECT_THROW(Network("dragonfly", {5, 1, 4, 2}), std::invalid_argument);
  EXPECT_THROW(Network("star", {4}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle::sim
