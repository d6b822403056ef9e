// The texts of HEDDLE_EXPLAIN about messages, from the facts that a rank knows.
#include "explain/here.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::explain {
namespace {

const layout::Layout column = layout::vector(1024, 8, 64, layout::basic(4));
const layout::Layout row = layout::contiguous(8192, layout::basic(4));

/// A rank of several on one node, and a datatype with holes that it packs.
Here usual() { return {.known = true, .on_node = true, .at = {.packs = true}}; }

TEST(Here, MessagesWithinANodeAreAnnounced) {
  EXPECT_EQ(scheme_choices(column, 1, usual()).choices.size(), scheme_choices(column, 1, Circumstances{}).choices.size());
  EXPECT_FALSE(scheme_choices(column, 1, usual()).choices.empty());
}

TEST(Here, NothingIsAnnouncedToNobody) {
  Here alone = usual();
  alone.on_node = false;
  EXPECT_EQ(
      scheme_choices(column, 1, alone).why,
      "Heddle announces no messages here (this rank is alone on its node, or heddle doctor says why): Heddle packs, the MPI "
      "library sends");
  alone.running = false;
  EXPECT_EQ(scheme_choices(column, 1, alone).why, "Heddle is off: the MPI library's own way");
}

TEST(Here, WithoutALibraryItIsNotKnownWhoPacks) {
  const layout::Layout little = layout::vector(600, 1, 602, layout::basic(8));
  const std::string why = scheme_choices(little, 1, Circumstances{}).why;
  EXPECT_EQ(
      why,
      "4800 bytes are fewer than HEDDLE_RENDEZVOUS (" + std::to_string(settings::Settings{}.rendezvous) +
          "): Heddle packs it, unless the MPI library sends it unpacked as fast (HEDDLE_EXPLAIN shows which in the program)");
  EXPECT_TRUE(scheme_choices(little, 1, Circumstances{.packs = true}).why.ends_with("Heddle packs, the MPI library sends"));
  EXPECT_TRUE(scheme_choices(little, 1, Circumstances{.packs = false}).why.ends_with("sends it unpacked, which is as fast"));
}

TEST(Here, WhatLiesInOnePieceMayBeAnnounced) {
  Here here = usual();
  here.in_one_piece = true;
  EXPECT_EQ(scheme_choices(row, 1, here).why, "without holes: the MPI library's own way");
  here.moves_pieces = true;
  EXPECT_EQ(scheme_choices(row, 1, here).why,
            "without holes: announced if that is clearly faster than the MPI library's own way (HEDDLE_CONTIGUOUS)");
  here.on_node = false;
  EXPECT_EQ(scheme_choices(row, 1, here).why, "without holes: the MPI library's own way");
}

TEST(Here, SomeIsLeftToALibraryThatPacksWhileItSends) {
  Here here = usual();
  here.host_packs_while_it_sends = true;
  EXPECT_EQ(left_to_host(here), "");  // it pays to pack
  here.at.packs = false;
  EXPECT_EQ(
      left_to_host(here),
      "to this rank itself, or non-blocking to a core less than 100 ns a line away: the MPI library's own way, which packs "
      "while it sends");
  for (const auto not_so : {&Here::known, &Here::on_node, &Here::host_packs_while_it_sends}) {
    Here other = here;
    other.*not_so = false;
    EXPECT_EQ(left_to_host(other), "");
  }
  here.at.scheme = settings::Scheme::direct;
  EXPECT_EQ(left_to_host(here), "");
}

TEST(Here, BetweenNodesTheFabricMayTakeIt) {
  Here here = usual();
  EXPECT_EQ(between_nodes(here), "");
  here.several_nodes = true;
  EXPECT_EQ(between_nodes(here), "between nodes: Heddle packs, the MPI library sends");
  here.may_cross = true;
  EXPECT_EQ(between_nodes(here), "between nodes: by the fabric if that pays, otherwise: Heddle packs, the MPI library sends");
  here.known = false;
  EXPECT_EQ(between_nodes(here), "");
}

TEST(Here, LinesAreThoseOfTheDatatypeAndOfItsMessages) {
  Here here = usual();
  const std::vector<std::string> one_node = lines(column, 2, "type", here);
  EXPECT_EQ(one_node, lines(column, 2, "type", scheme_choices(column, 2, here)));
  here.several_nodes = true;
  const std::vector<std::string> nodes = lines(column, 2, "type", here);
  ASSERT_EQ(nodes.size(), one_node.size() + 1);
  EXPECT_EQ(nodes.back(), between_nodes(here));
}

}  // namespace
}  // namespace heddle::explain
