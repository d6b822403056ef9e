// Facts and the decisions they should lead to.
#include "select/choose_message.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "messages.hpp"
#include "select/segment.hpp"

namespace heddle::select::choose_message_test {
namespace {

using namespace testing;

struct Case {
  const char* what;
  Facts facts;
  Scheme scheme;
};

Facts mapped(Facts facts) {
  facts.mapped = true;
  return facts;
}
Facts readable(Facts facts) {
  facts.process_vm = true;
  return facts;
}
Facts crowded(Facts facts) {
  facts.crowded = true;
  return facts;
}
Facts later(Facts facts) {
  facts.blocking = false;
  return facts;
}
Facts paired(Facts facts) {
  facts.paired = true;
  return facts;
}
Facts unknown(Facts facts) {
  facts.receiver = {};
  return facts;
}

Side one(Bytes bytes) { return Side::one_piece(bytes); }

TEST(Choose, AsTheTableSays) {
  const Bytes mib = 1 << 20;
  const Case table[] = {
      {"nothing but slots: packing is all there is", vectors(128, 64), Scheme::bc_spup},
      {"small blocks cost an iovec each", readable(vectors(1024, 64)), Scheme::bc_spup},
      {"the same, receiver not known", unknown(readable(vectors(1024, 64))), Scheme::bc_spup},
      {"blocks of 4 KiB: two cores beat one", readable(vectors(128, 4096)), Scheme::bc_spup},
      {"mapped, with blocks of a few bytes on lines of their own: the owner packs", mapped(vectors(65536, 4)), Scheme::bc_spup},
      {"mapped, contiguous at the sender, which goes on computing: the receiver moves it",
       later(mapped(message(mib, one(mib), strided(mib / 4096, 4096)))), Scheme::direct},
      {"mapped, by columns into rows: packing is slow, unpacking is not, two cores share it",
       mapped(message(256 * 256 * 24, columns(256, 24), one(256 * 256 * 24))), Scheme::both},
      {"the same with process_vm at hand too", readable(mapped(message(256 * 256 * 24, columns(256, 24), one(256 * 256 * 24)))),
       Scheme::both},
      {"the same, but the receiver packs its own meanwhile: packing and unpacking take their sum, and the receiver moves it",
       paired(mapped(message(256 * 256 * 24, columns(256, 24), one(256 * 256 * 24)))), Scheme::direct},
      {"the same, but more ranks than cores",
       crowded(readable(mapped(message(256 * 256 * 24, columns(256, 24), one(256 * 256 * 24))))), Scheme::bc_spup},
  };
  for (const Case& row : table) {
    const Choice choice = choose(row.facts);
    EXPECT_EQ(choice.scheme, row.scheme) << row.what << "\n  " << why(row.facts, choice);
  }
}

// Wu, Wyckoff, Panda 2004, Table 1, on a machine like theirs, with small or large blocks at either
// end. There an adapter reads; here the receiver's core reads. So if one end packs, two busy cores
// (BC-SPUP) beat a core that reads and unpacks. But among the schemes that leave the sender's
// blocks in place, the table's choice is the cheapest.
TEST(Choose, AsTable1OfThePaperWhereItApplies) {
  const Profile profile = cluster_of_2004();
  const Bytes bytes = 1 << 20;
  const Side small = strided(bytes / 16, 16);
  const Side large = strided(bytes / 16384, 16384);
  const auto facts = [&](const Side& sender, const Side& receiver) {
    Facts message = readable(testing::message(bytes, sender, receiver));
    message.profile = &profile;
    return message;
  };
  EXPECT_EQ(choose(facts(small, small)).scheme, Scheme::bc_spup);  // pack, unpack
  EXPECT_EQ(choose(facts(large, large)).scheme, Scheme::multi_w);  // copy-reduced, copy-reduced
  const Costs reads = costs(facts(large, small));                  // copy-reduced, unpack
  EXPECT_LT(reads.of(Scheme::rwg_up), reads.of(Scheme::multi_w));
  // Pack, copy-reduced: the table says Multi-W, with a write for each small block. P-RRS costs
  // less, but the table never chooses it.
  const Costs packs = costs(facts(small, large));
  EXPECT_LT(packs.of(Scheme::p_rrs), packs.of(Scheme::multi_w));
  EXPECT_EQ(choose(facts(one(bytes), large)).scheme, Scheme::p_rrs);  // the asymmetric case that §4.2 has in mind
}

TEST(Choose, ContiguousIntoScatteredIsPRrsWhereItIsCheapest) {
  // Local entries of process_vm are cheap: with blocks of pages one copy beats two.
  Profile profile = builtin();
  profile.read = profile.copy;
  profile.local_entry = 20;
  profile.unpack = {{0.3, 0.2, 0.15, 0.12, 0.12, 0.12, 0.12, 0.12}};
  Facts facts = readable(message(1 << 20, one(1 << 20), strided(256, 4096)));
  facts.profile = &profile;
  EXPECT_EQ(choose(facts).scheme, Scheme::p_rrs) << why(facts, choose(facts));
}

TEST(Choose, NeverWhatIsNotThere) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    const auto side = [&random](Bytes bytes) {
      const Bytes length = Bytes{1} << random() % 18;
      return length >= bytes ? one(bytes) : random() % 4 == 0 ? columns(1, bytes) : strided(bytes / length, length);
    };
    const Bytes bytes = Bytes{1} << (10 + random() % 16);
    Facts facts = message(bytes, side(bytes), side(bytes));
    facts.mapped = random() % 2 == 0;
    facts.process_vm = random() % 2 == 0;
    facts.crowded = random() % 4 == 0;
    facts.blocking = random() % 2 == 0;
    if (random() % 3 == 0) facts.receiver = {};
    const Choice choice = choose(facts);
    const double cost = costs(facts).of(choice.scheme);
    EXPECT_TRUE(std::isfinite(cost) && cost > 0);
    const Scheme scheme = choice.scheme;
    EXPECT_TRUE(!facts.crowded || scheme == Scheme::bc_spup);
    EXPECT_TRUE(facts.mapped || (scheme != Scheme::direct && scheme != Scheme::both));
    EXPECT_TRUE(facts.process_vm || (scheme != Scheme::multi_w && scheme != Scheme::rwg_up && scheme != Scheme::p_rrs));
    EXPECT_EQ(choice.segment & (choice.segment - 1), 0);
    EXPECT_GE(choice.segment, 4 << 10);
    EXPECT_LE(choice.segment, 64 << 10);
    EXPECT_GE(choice.grace, 0);
    EXPECT_LE(choice.grace, 1e6);
    EXPECT_TRUE(choice.grace == 0 || (!facts.crowded && scheme != Scheme::bc_spup && scheme != Scheme::both));
    EXPECT_EQ(why(facts, choice).rfind(name(choice.scheme), 0), 0u);
  }
}

TEST(Choose, MoreBytesNeverCostLess) {
  for (const Bytes length : {4, 24, 64, 1000, 4096}) {
    Costs before;
    for (Count count = 64; count < 1 << 18; count += count / 3) {
      const Costs now = costs(mapped(readable(vectors(count, length))));
      for (const Scheme scheme : schemes)
        EXPECT_GE(now.of(scheme), before.of(scheme)) << name(scheme) << count << " × " << length;
      before = now;
    }
  }
}

TEST(Choose, ADearerStepNeverMakesItsSchemesWin) {
  const auto share = [](double factor) {
    Profile profile = cluster_of_2004();
    profile.remote_entry *= factor;
    int pulled = 0;
    for (const Count count : {16, 64, 256, 1024})
      for (const Bytes length : {64, 512, 4096, 32768}) {
        Facts facts = readable(vectors(count, length));
        facts.profile = &profile;
        const Scheme scheme = choose(facts).scheme;
        pulled += scheme == Scheme::multi_w || scheme == Scheme::rwg_up ? 1 : 0;
      }
    return pulled;
  };
  int before = share(0.1);
  EXPECT_GT(before, 0);
  for (const double factor : {1.0, 3.0, 10.0, 100.0, 1e4}) {
    const int now = share(factor);
    EXPECT_LE(now, before) << factor;
    before = now;
  }
}

TEST(Choose, MoreTransportsNeverCostMore) {
  for (const Count count : {16, 1024, 65536})
    for (const Bytes length : {8, 64, 4096}) {
      const Facts plain = vectors(count, length);
      for (const Facts& facts : {mapped(plain), readable(plain), readable(mapped(plain))})
        EXPECT_LE(costs(facts).of(choose(facts).scheme), costs(plain).of(choose(plain).scheme));
    }
}

// A sender chooses without the receiver's datatype, and a receiver does not choose again. The loss
// stays small by the built-in profile. Blocks are 4 B to 64 KiB at the sender, in memory order or
// across it, and go into blocks or into one piece.
TEST(Choose, NotKnowingTheReceiverCostsLittle) {
  for (Bytes total = 8 << 10; total <= 16 << 20; total *= 4)
    for (Bytes from = 4; from <= 64 << 10; from *= 2)
      for (Bytes to = 2; to <= 64 << 10; to *= 2)
        for (const int how : {0, 1, 2, 3, 4, 5, 6, 7}) {
          const auto side = [total](Bytes block) { return strided(total / std::min(block, total), std::min(block, total)); };
          Facts facts = readable(message(total, side(from), to == 2 ? one(total) : side(to)));
          facts.mapped = how & 1;
          facts.blocking = how & 2;
          facts.sender.transposed = how & 4;
          const Costs cost = costs(facts);
          const Scheme blind = choose(unknown(facts)).scheme;
          const double loss = cost.of(blind) / cost.of(choose(facts).scheme);
          // Nothing is lost by process_vm or packed. Over mapped memory, one core may move all
          // data where two would have shared the work.
          EXPECT_LE(loss, facts.mapped ? 1.5 : 1.0) << why(facts, choose(facts)) << "\n  not " << name(blind);
          // If the receiver does all the work, no other way of doing it would be cheaper.
          if (blind != Scheme::bc_spup && blind != Scheme::both) {
            EXPECT_LE(cost.of(blind), std::min(cost.of(Scheme::multi_w), cost.of(Scheme::rwg_up))) << why(facts, choose(facts));
          }
        }
}

TEST(Choose, PairedMessagesAreCutIntoFewSegments) {
  for (const Bytes bytes : {4 << 10, 64 << 10, 1 << 20, 64 << 20}) {
    EXPECT_EQ(choose(paired(vectors(bytes / 64, 64))).segment, 32 << 10);
    EXPECT_LE(choose(vectors(bytes / 64, 64)).segment, 32 << 10);
  }
}

TEST(Choose, SegmentsGrowWithTheMessage) {
  Bytes before = 0;
  for (Bytes bytes = 1; bytes < Bytes{1} << 40; bytes *= 2) {
    EXPECT_GE(segment(bytes), before);
    before = segment(bytes);
  }
  EXPECT_EQ(before, 32 << 10);
}

TEST(Choose, GraceIsWhatPackingWouldTake) {
  Facts facts = mapped(vectors(256, 256));
  const Choice choice = with(Scheme::direct, facts);
  EXPECT_NEAR(choice.grace, 65536 * builtin().pack.at(256), 1);
  EXPECT_EQ(with(Scheme::direct, crowded(facts)).grace, 0);
  EXPECT_EQ(with(Scheme::multi_w, vectors(1 << 20, 4096)).grace, 1e6);
}

TEST(Choose, AMessageToTheRankItselfIsMovedByItsReceive) {
  Facts facts = crowded(vectors(128, 1024));
  facts.own = true;
  EXPECT_EQ(choose(facts).scheme, Scheme::bc_spup) << "the call ends before the receive";
  EXPECT_NE(why(facts, choose(facts)).find("the rank sends to itself, and the call ends before"), std::string::npos);
  facts = mapped(facts);
  EXPECT_EQ(choose(facts).scheme, Scheme::direct);
  EXPECT_EQ(with(Scheme::direct, mapped(facts)).grace, 0) << "no other process can take it";
  EXPECT_NE(why(facts, choose(facts)).find("from layout to layout"), std::string::npos);
}

TEST(Choose, SaysWhyWithItsNumbers) {
  const Facts facts = readable(unknown(vectors(128, 1024)));
  const std::string text = why(facts, choose(facts));
  for (const char* part : {"bc-spup: 128 blocks of 1024 B", "not known yet", "packing", "us in all", "would take"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  const Facts alone = vectors(128, 1024);
  EXPECT_NE(why(alone, choose(alone)).find("cannot read the sender's memory"), std::string::npos);
  Facts early = alone;  // the receiver could read, but the sender must not wait
  early.early = true;
  EXPECT_EQ(why(early, choose(early)).find("cannot read"), std::string::npos);
  EXPECT_NE(why(early, choose(early)).find("completes before its receive"), std::string::npos);
  EXPECT_NE(why(crowded(facts), choose(crowded(facts))).find("more ranks than cores"), std::string::npos);
}

// Memory that must first be attached is worth it only if the pass saves more.
TEST(Choose, AttachingMemoryHasItsPrice) {
  Facts facts = mapped(message(256 * 256 * 24, columns(256, 24), one(256 * 256 * 24)));
  const Choice free = choose(facts);
  ASSERT_TRUE(free.scheme == Scheme::direct || free.scheme == Scheme::both);
  const double without = costs(facts).of(free.scheme);
  facts.preparation = 1000;
  EXPECT_EQ(costs(facts).of(free.scheme), without + 1000);
  EXPECT_NE(why(facts, with(free.scheme, facts)).find("attaching the sender's memory takes 1.0 us"), std::string::npos);
  facts.preparation = 1e9;
  EXPECT_EQ(choose(facts).scheme, Scheme::bc_spup);
}

// Either core may be slower than the profile says. Then the other core does more of the work.
TEST(Choose, TwoCoresUnlessOneIsClearlyEnough) {
  for (const Bytes length : {64, 256, 1024, 4096, 8192}) {
    const Facts facts = readable(mapped(unknown(vectors(128, length))));
    const Costs cost = costs(facts);
    const bool clear = cost.of(Scheme::direct) < 0.9 * cost.of(Scheme::both);
    EXPECT_EQ(choose(facts).scheme, clear ? Scheme::direct : Scheme::both) << length;
    EXPECT_LT(cost.of(Scheme::both), 1.15 * cost.of(Scheme::direct)) << length;  // `both` can work like `direct`
  }
}

// The header says some tens of ns. A loaded machine or a sanitizer may take ten times as long.
TEST(Choose, IsQuick) {
  const Facts facts = readable(mapped(vectors(1024, 64)));
  double best = 1e9;
  Bytes sum = 0;
  for (int round = 0; round < 20; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i) sum += choose(facts).segment;
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 1000);
  }
  RecordProperty("ns", std::to_string(best));
  EXPECT_GT(sum, 0);
  EXPECT_LT(best, 1000);
}

// 200 ns a line: two cores that share no cache.
TEST(Choose, WhatIsPackedForAFarCoreGoesPastTheCaches) {
  Facts facts = vectors(128, 4096);
  for (const auto& [line, stores] : {std::pair{0.0, layout::Stores::cached},
                                     {40.0, layout::Stores::cached},
                                     {99.0, layout::Stores::cached},
                                     {100.0, layout::Stores::streamed},
                                     {200.0, layout::Stores::streamed}}) {
    facts.line = line;
    EXPECT_EQ(choose(facts).stores, stores) << line;
    for (const Scheme scheme : schemes) EXPECT_EQ(with(scheme, facts).stores, stores) << line;
  }
}

TEST(Choose, PiecesAreCarriedWhereTheLibraryIsSlower) {
  const auto carried = [](Bytes bytes, const Link& host, bool crowded_ranks) {
    Facts facts = message(bytes, one(bytes), one(bytes));
    facts.crowded = crowded_ranks;
    return beats(facts, choose(facts), host);
  };
  for (const Links* host : {&mpich_links, &openmpi_links}) {
    for (const Bytes bytes : {Bytes{64} << 10, Bytes{1} << 20, Bytes{4} << 20})
      EXPECT_TRUE(carried(bytes, host->node, false)) << bytes;
    EXPECT_FALSE(carried(1 << 20, host->node, true));
  }
  EXPECT_FALSE(carried(1 << 20, {.latency = 300, .message = 60, .byte = 0.02}, false));  // a library that copies once
}

TEST(Choose, LongPiecesOfRanksThatReceiveMeanwhileAreCarriedToFarCoresOnly) {
  const auto carried = [](Bytes bytes, double line, auto how) {
    Facts facts = how(message(bytes, one(bytes), one(bytes)));
    facts.line = line;
    return beats(facts, choose(facts), mpich_links.node);
  };
  for (const double line : {0.0, 40.0, 200.0}) {
    EXPECT_TRUE(carried(128 << 10, line, later)) << line;
    EXPECT_TRUE(carried(128 << 10, line, paired)) << line;
    EXPECT_EQ(carried(1 << 20, line, later), line == 200.0) << line;
    EXPECT_EQ(carried(1 << 20, line, paired), line == 200.0) << line;
    EXPECT_TRUE(carried(1 << 20, line, [](const Facts& facts) { return facts; })) << line;
  }
}

}  // namespace
}  // namespace heddle::select::choose_message_test
