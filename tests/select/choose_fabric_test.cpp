// The blocks of both ends and the scheme that they should lead to.
#include "select/choose_fabric.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"

namespace heddle::select::choose_fabric_test {
namespace {

using namespace testing;

constexpr Bytes mib = 1 << 20;

FabricFacts facts(const Side& side, End end, const Network& network, Bytes bytes = mib) {
  return {.bytes = bytes, .side = side, .end = end, .network = &network};
}

struct Row {
  const char* what;
  Side sender;
  Side receiver;
  const char* provider;
  int iov, rma_iov;
  Scheme scheme;
};

TEST(ChooseFabric, AsTheTableSays) {
  const Profile old = cluster_of_2004();
  const Side small = strided(mib / 16, 16);
  const Side large = strided(mib / 32768, 32768);
  const Side one = Side::one_piece(mib);
  const Row table[] = {
      {"pack, unpack", small, small, "verbs", 30, 1, Scheme::bc_spup},
      {"pack, copy-reduced: Multi-W in the paper, whose writes would be as many as small blocks", small, large, "verbs", 30, 1,
       Scheme::p_rrs},
      {"copy-reduced, unpack", large, small, "verbs", 30, 1, Scheme::rwg_up},
      {"copy-reduced, copy-reduced", large, large, "verbs", 30, 1, Scheme::multi_w},
      {"one piece into blocks: a read scatters thirty, a write reaches one", one, large, "verbs", 30, 1, Scheme::p_rrs},
      {"the same where a write reaches as many", one, large, "tcp;ofi_rxm", 4, 4, Scheme::multi_w},
      {"small blocks over tcp", small, small, "tcp;ofi_rxm", 4, 4, Scheme::bc_spup},
      {"large blocks over shm", large, large, "shm", 4, 4, Scheme::multi_w},
  };
  for (const Row& row : table) {
    const Network network = network_of(row.provider, row.iov, row.rma_iov);
    FabricFacts sender = facts(row.sender, End::sender, network);
    FabricFacts receiver = facts(row.receiver, End::receiver, network);
    sender.profile = receiver.profile = &old;
    receiver.reads = end_of(sender).offers;
    EXPECT_EQ(table_1(end_of(sender), end_of(receiver)), row.scheme)
        << row.what << "\n  " << why(sender, end_of(sender)) << "\n  " << why(receiver, end_of(receiver));
  }
}

TEST(ChooseFabric, ASchemeThatIsForcedIsTaken) {
  for (const char* provider : {"verbs", "tcp;ofi_rxm"})
    for (const Side& side : {strided(mib / 16, 16), strided(mib / 32768, 32768), Side::one_piece(mib)}) {
      const Network network = network_of(provider, 30, 1);
      const FabricFacts sender = facts(side, End::sender, network);
      const FabricFacts receiver = facts(side, End::receiver, network);
      for (const Scheme scheme : {Scheme::bc_spup, Scheme::rwg_up, Scheme::p_rrs, Scheme::multi_w})
        EXPECT_EQ(table_1(end_of(sender, scheme), end_of(receiver, scheme)), scheme) << name(scheme) << " over " << provider;
      for (const std::optional<Scheme> of_nodes : {std::optional<Scheme>(), std::optional(Scheme::direct)})
        EXPECT_EQ(table_1(end_of(sender, of_nodes), end_of(receiver, of_nodes)), table_1(end_of(sender), end_of(receiver)));
    }
}

// Figure 12 of the paper: buffers that change at each call.
TEST(ChooseFabric, RegisteringEachTimeMakesCopyingWorthMore) {
  const Network network = network_of("verbs", 30, 1);
  for (Bytes block = 64; block <= 65536; block *= 2) {
    FabricFacts kept = facts(strided(mib / block, block), End::sender, network);
    FabricFacts anew = kept;
    anew.kept = false;
    EXPECT_GT(end_of(anew).moving, end_of(kept).moving);
    EXPECT_TRUE(end_of(kept).in_place || !end_of(anew).in_place);
  }
}

TEST(ChooseFabric, ShortMessagesAreNotWorthAnAnswer) {
  for (const char* provider : {"tcp", "shm", "verbs"}) {
    const Network network = network_of(provider, 4, 4);
    const auto message = [&network](Bytes bytes) { return pays(facts(strided(bytes / 64, 64), End::sender, network, bytes)); };
    EXPECT_FALSE(message(8 << 10)) << provider;
    EXPECT_TRUE(message(64 * mib)) << provider;
    bool pay = false;
    for (Bytes bytes = 4 << 10; bytes <= 64 * mib; bytes *= 2) {
      EXPECT_GE(message(bytes), pay) << provider << " " << bytes;
      pay = message(bytes);
    }
  }
}

/// Two nodes of one machine over TCP on the loopback device, as measured by `heddle tune`. The slow
/// library uses UCX, the quick library is Open MPI with its own TCP.
BetweenNodes tuned(double message, double byte) {
  BetweenNodes nodes{
      .message = message, .byte = byte, .greeting = 60'000, .segment = 8000, .operation = 10'000, .fabric_byte = 0.3};
  EXPECT_TRUE(nodes.set_name("tcp"));
  return nodes;
}
const BetweenNodes slow_library = tuned(120'000, 0.9);
const BetweenNodes quick_library = tuned(15'000, 0.15);

TEST(ChooseFabric, WhatWasMeasuredTakesThePlaceOfTheTable) {
  const Network network = network_of("tcp;ofi_rxm", 4, 4, slow_library);
  EXPECT_EQ(network.greeting, 60'000);
  EXPECT_EQ(network.segment, 8000);
  EXPECT_EQ(network.operation, 10'000);
  EXPECT_EQ(network.wire, 0.3);
  EXPECT_EQ(network.message_byte, 0.9);
  EXPECT_TRUE(network.measured);
  // These figures say nothing about another provider.
  EXPECT_EQ(network_of("shm", 4, 4, slow_library).greeting, network_of("shm", 4, 4).greeting);
  EXPECT_EQ(network_of("shm", 4, 4, slow_library).message_byte, 0);
}

TEST(ChooseFabric, TheQuickerWireIsTaken) {
  const Side side = strided(512, 2048);
  const Network slow = network_of("tcp", 4, 4, slow_library);
  const Network quick = network_of("tcp", 4, 4, quick_library);
  EXPECT_TRUE(pays(facts(side, End::sender, slow)));
  EXPECT_FALSE(pays(facts(side, End::sender, quick)));
  // The blocks are so large that packing costs little. If the library is slow, the wire alone
  // decides.
  EXPECT_TRUE(pays(facts(strided(16, 65536), End::sender, slow)));
  // A quick wire does not help a library that packs slowly.
  Profile crawling = builtin();
  for (double& ns : crawling.pack.ns) ns *= 20;
  for (double& ns : crawling.unpack.ns) ns *= 20;
  FabricFacts long_packing = facts(side, End::sender, quick);
  long_packing.profile = &crawling;
  EXPECT_TRUE(pays(long_packing));
}

TEST(ChooseFabric, AWireThatWasMeasuredDecidesOnceByLength) {
  for (const BetweenNodes& nodes : {slow_library, quick_library}) {
    const Network network = network_of("tcp", 4, 4, nodes);
    bool pay = false;
    for (Bytes bytes = 4 << 10; bytes <= 64 * mib; bytes *= 2) {
      FabricFacts sender = facts(strided(bytes / 512, 512), End::sender, network, bytes);
      sender.segment = fabric_segment(bytes);
      EXPECT_GE(pays(sender), pay) << bytes;
      pay = pays(sender);
    }
  }
}

// If the sender's data are one piece, the library packs nothing there. Then the blocks that the
// receiver has told of count.
TEST(ChooseFabric, OnePieceForBlocksPaysByWhatTheReceiverSaves) {
  const Side blocks = Side::blocks_of(mib, 512);
  EXPECT_EQ(blocks.blocks, 2048);
  EXPECT_FALSE(blocks.contiguous);
  EXPECT_EQ(Side::blocks_of(100, 0).blocks, 100);  // a peer may say anything
  EXPECT_TRUE(Side::blocks_of(100, 4096).contiguous);
  const auto piece = [&blocks](const Network& network, bool scattered) {
    FabricFacts sender = facts(Side::one_piece(mib), End::sender, network);
    if (scattered) sender.receiver = &blocks;
    return pays(sender);
  };
  EXPECT_TRUE(piece(network_of("tcp", 4, 4, slow_library), true));
  EXPECT_FALSE(piece(network_of("tcp", 4, 4, quick_library), true));
  EXPECT_FALSE(piece(network_of("verbs", 30, 1), false));  // nothing is packed, nothing unpacked
}

TEST(ChooseFabric, SocketsAreOpenedUnaskedWhereTheyWereMeasuredToPay) {
  EXPECT_FALSE(worth_opening({}, builtin()));
  EXPECT_TRUE(worth_opening(slow_library, builtin()));
  EXPECT_FALSE(worth_opening(quick_library, builtin()));
}

TEST(ChooseFabric, LargerBlocksNeverSpeakForCopying) {
  for (const char* provider : {"tcp", "shm", "verbs", "unheard-of"}) {
    const Network network = network_of(provider, 4, 4);
    bool in_place = false;
    for (Bytes block = 4; block <= mib; block *= 2) {
      const FabricFacts now = facts(strided(mib / block, block), End::receiver, network);
      EXPECT_GE(end_of(now).in_place, in_place) << provider << " " << block;
      in_place = end_of(now).in_place;
      EXPECT_NE(why(now, end_of(now)).find(in_place ? "in place" : "unpack"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace heddle::select::choose_fabric_test
