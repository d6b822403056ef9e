// The blocks of both ends and the scheme that they should lead to.
#include "select/fabric.hpp"

#include <gtest/gtest.h>

#include "messages.hpp"

namespace heddle::select {
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
}  // namespace heddle::select
