#include "explain/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle::explain {
namespace {

/// Everything is in effect.
Findings all_well() {
  return {.entry = "MPI_Init",
          .library = "Open MPI v5.0.11 (/usr/lib/libmpi.so.40)",
          .running = true,
          .built_for = "on, built for Open MPI",
          .node = Effect::in_effect,
          .rendezvous = 16384,
          .between_nodes = {.effect = Effect::in_effect, .provider = "verbs;ofi_rxm"},
          .collectives = Effect::in_effect};
}

/// The line about `what`. Empty: there is none.
std::string line_on(const std::string& what, const Findings& found) {
  for (const std::string& line : lines(found))
    if (line.find(' ' + what + ": ") < 4) return line;
  return {};
}

TEST(Findings, SayWhatIsInEffect) {
  const std::vector<std::string> wanted = {
      "✓ MPI_Init: reached, in Open MPI v5.0.11 (/usr/lib/libmpi.so.40)",
      "✓ Heddle: on, built for Open MPI",
      "✓ above Heddle: nothing: the program's calls reach Heddle first",
      "✓ receives: all reach Heddle, under any name",
      "✓ messages: Heddle packs messages with holes, unless the MPI library is faster",
      "✓ on a node: messages with holes are announced from 16384 bytes on, and moved by Heddle itself",
      "✓ between nodes: messages with holes go over libfabric's verbs;ofi_rxm",
      "✓ collectives: alltoalls, allgathers and neighbour collectives go by Heddle's own schedules if these are faster"};
  EXPECT_EQ(lines(all_well()), wanted);
}

TEST(Findings, OfAProgramWithoutHeddleEndWithWhy) {
  Findings off = all_well();
  off.running = off.enabled = false;
  ASSERT_EQ(lines(off).size(), 2U);
  EXPECT_EQ(lines(off)[1], "! Heddle: off (HEDDLE=off): every call goes straight to the MPI library → unset HEDDLE");
  off.off_by = "/etc/heddle/heddle.conf:2";
  EXPECT_EQ(lines(off)[1],
            "! Heddle: off (HEDDLE=off in /etc/heddle/heddle.conf:2): every call goes straight to the MPI library → delete "
            "that line, or set HEDDLE=on");
  off.enabled = true;
  EXPECT_EQ(lines(off)[1], "! Heddle: off: every call goes straight to the MPI library → Heddle's other messages say why");
}

TEST(Findings, WhatEveryRankMustWishSaysWhoDoesNot) {
  Findings found = all_well();
  found.node = found.between_nodes.effect = found.collectives = Effect::not_every_rank;
  for (const char* what : {"on a node", "between nodes", "collectives"}) {
    EXPECT_TRUE(line_on(what, found).starts_with("! ")) << what;
    EXPECT_TRUE(line_on(what, found).ends_with(" → not every rank can")) << what;
  }
  found.missed = "the host has MPI_Foo, which this Heddle does not know";
  for (const char* what : {"on a node", "between nodes", "collectives"})
    EXPECT_TRUE(line_on(what, found).ends_with(" → not every receive reaches Heddle")) << what;
  EXPECT_TRUE(line_on("receives", found).starts_with("! receives: the host has MPI_Foo"));
  EXPECT_EQ(line_on("receives", found), receives(found.missed));
}

TEST(Findings, WhatTheSettingsSayIsNoComplaint) {
  Findings found = all_well();
  found.node = found.collectives = found.between_nodes.effect = Effect::unwanted;
  found.between_nodes.why_unwanted = " (HEDDLE_FABRIC=off)";
  found.messages = settings::Messages::native;
  EXPECT_EQ(line_on("on a node", found), "✓ on a node: messages go through the MPI library (HEDDLE_SCHEME=native)");
  EXPECT_EQ(line_on("between nodes", found),
            "✓ between nodes: messages with holes go packed, through the MPI library (HEDDLE_FABRIC=off)");
  EXPECT_EQ(line_on("collectives", found),
            "✓ collectives: Heddle packs around the MPI library's own algorithms (HEDDLE_COLLECTIVES=native)");
  EXPECT_EQ(line_on("messages", found), "✓ messages: messages with holes are left to the MPI library (HEDDLE_MESSAGES=native)");
  found.messages = settings::Messages::packed;
  EXPECT_EQ(line_on("messages", found), "✓ messages: Heddle packs messages with holes (HEDDLE_MESSAGES=packed)");
}

TEST(Findings, WhatThisMachineLacks) {
  Findings found = all_well();
  found.node = Effect::impossible;
  found.between_nodes.provider.clear();
  EXPECT_EQ(line_on("on a node", found), "! on a node: messages go through the MPI library → Heddle's other messages say why");
  EXPECT_EQ(line_on("between nodes", found),
            "✓ between nodes: messages with holes go packed, through the MPI library: no fabric (HEDDLE_VERBOSE=1 says why)");
  found.between_nodes.one_node = true;
  EXPECT_EQ(line_on("between nodes", found), "✓ between nodes: all ranks share a node");
}

TEST(Findings, OfASessionShareNothing) {
  Findings found = all_well();
  found.shares = false;
  EXPECT_EQ(line_on("on a node", found),
            "✓ on a node: messages go through the MPI library: ranks begin to share memory in MPI_Init");
  EXPECT_EQ(line_on("collectives", found), "✓ collectives: Heddle packs around the MPI library's own algorithms");
  EXPECT_EQ(line_on("between nodes", found), "");
  EXPECT_EQ(line_on("receives", found), "");
}

TEST(Findings, ToolsAreThoseThatAreCalledAndTheOthers) {
  Findings found = all_well();
  found.tools = {.called = "/opt/libtool.so (MPI_Recv)",
                 .not_called = {"/opt/libother.so (MPI_Send): the program is given "
                                "those of the MPI library"}};
  EXPECT_EQ(line_on("above Heddle", found), "✓ above Heddle: /opt/libtool.so (MPI_Recv)");
  EXPECT_TRUE(line_on("not called", found).starts_with("! not called: /opt/libother.so (MPI_Send)"));
  const std::vector<std::string> said = {
      "above Heddle: /opt/libtool.so (MPI_Recv).",
      "not called: /opt/libother.so (MPI_Send): the program is given those of the MPI library."};
  EXPECT_EQ(sentences(found.tools), said);
  EXPECT_TRUE(sentences({}).empty());
}

}  // namespace
}  // namespace heddle::explain
