// The chosen way takes least by the model, or the decision has a reason.
#include "select/collective/decide.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schedule/algorithms.hpp"
#include "select/collective/mailbox_sizes.hpp"

namespace heddle::select::decide_test {
namespace {

std::string_view name(const Decision& decision) {
  return decision.choice.algorithm ? decision.choice.algorithm->name : "native";
}

Where at(Rank ranks, Rank nodes, double crowding, const Links* links) {
  const Rank members = (ranks + nodes - 1) / nodes;
  return {.ranks = ranks,
          .nodes = nodes,
          .members = members,
          .crowding = crowding,
          .mailboxes = mailbox_sizes(members - 1).longest,
          .links = links};
}

/// Every combination of ranks, nodes, ranks a core, and host.
template <class F>
void everywhere(F&& look) {
  for (const Rank ranks : {2, 3, 4, 7, 8, 16, 48, 256})
    for (const Rank nodes : {1, 2, 16})
      for (const double crowding : {1., 4.})
        for (const Links* links : {&builtin_links, &mpich_links, &openmpi_links})
          if (nodes <= ranks) look(at(ranks, nodes, crowding, links));
}

/// because() is empty exactly if the reason is Reason::least. Then no way takes less.
void holds(const Decision& decision, const Candidates& candidates) {
  const std::string why = because(decision, candidates, "HEDDLE_X=y");
  const bool is_least = decision.choice.algorithm && decision.choice.ns > 0 && decision.choice.ns <= least(candidates).ns;
  EXPECT_EQ(why.empty(), decision.reason == Reason::least);
  EXPECT_TRUE(!why.empty() || is_least || least(candidates).ns == 0) << name(decision);
  EXPECT_EQ(why.find('\n'), std::string::npos);
}

TEST(Decide, WhatIsChosenTakesLeastOrThereIsAReason) {
  std::map<Reason, int> seen;
  everywhere([&](const Where& where) {
    for (Bytes bytes = 0; bytes <= 16 << 20; bytes = bytes ? bytes * 8 : 8) {
      for (const Bytes others : {Bytes{0}, Bytes{8}, bytes}) {
        const Volumes volumes = Spread().of(where.ranks, [&](Rank of) { return of == 0 ? bytes : others; });
        const AllgathervFacts gather{where, volumes, where.links == &mpich_links, where.links == &openmpi_links};
        const Decision decision = decide_allgatherv(gather, "auto");
        holds(decision, candidates_allgatherv(gather));
        ++seen[decision.reason];
      }
      for (const Rank partners : {Rank{1}, std::min(where.ranks - 1, 26), where.ranks - 1}) {
        AlltoallvFacts facts{where};
        facts.partners = facts.most_partners = partners;
        facts.bytes = static_cast<double>(partners * bytes);
        facts.most_bytes = partners * bytes;
        facts.largest_block = bytes;
        for (const auto& [decision, candidates] : {std::pair{decide_alltoallv(facts, "auto"), candidates_alltoallv(facts)},
                                                   std::pair{decide_exchange(facts, "auto"), candidates_exchange(facts)}}) {
          holds(decision, candidates);
          ++seen[decision.reason];
        }
      }
    }
  });
  for (const Reason reason :
       {Reason::least, Reason::simpler, Reason::little, Reason::by_sum, Reason::mailboxes, Reason::few_ranks, Reason::typical})
    EXPECT_GT(seen[reason], 0) << static_cast<int>(reason) << ": the sweep meets no such case";
}

TEST(Decide, WhatIsWantedIsChosen) {
  const Where where = at(16, 2, 1, &builtin_links);
  const AllgathervFacts gather{where, Spread().of(16, [](Rank) { return Bytes{100}; })};
  AlltoallvFacts facts{where};
  facts.partners = facts.most_partners = 15;
  facts.bytes = 15e6;
  facts.most_bytes = 15'000'000;
  facts.largest_block = 1'000'000;
  for (const Algorithm* one : schedule::allgatherv()) EXPECT_EQ(name(decide_allgatherv(gather, one->name)), one->name);
  for (const Algorithm* one : schedule::alltoallv()) EXPECT_EQ(name(decide_alltoallv(facts, one->name)), one->name);
  for (const Algorithm* one : schedule::exchange()) EXPECT_EQ(name(decide_exchange(facts, one->name)), one->name);
  EXPECT_EQ(name(decide_alltoallv(facts, "native")), "native");
  EXPECT_EQ(name(decide_allgatherv(gather, "native")), "native");
  const Decision crystal = decide_alltoallv(facts, "crystal");
  EXPECT_NE(because(crystal, candidates_alltoallv(facts), "HEDDLE_ALLTOALLV=crystal").find("HEDDLE_ALLTOALLV=crystal"),
            std::string::npos);
}

TEST(Decide, LittleIsLeftToTheLibrary) {
  const auto decided = [](Bytes each, double crowding, bool slow) {
    return name(decide_allgatherv({at(8, 1, crowding, &builtin_links), Spread().of(8, [&](Rank) { return each; }), false, slow},
                                  "auto"));
  };
  EXPECT_EQ(decided(511, 1, false), "native");
  EXPECT_NE(decided(512, 1, false), "native");
  EXPECT_EQ(decided(0, 4, true), "native");
  EXPECT_NE(decided(8, 4, true), "native") << "Open MPI takes long for little where ranks share cores";
  EXPECT_EQ(decided(8, 1, true), "native");
}

TEST(Decide, AnExchangeGoesByWhatIsTypicalNotByWhatIsSent) {
  std::set<std::string_view> chosen;
  for (const Bytes bytes : {8, 1 << 10, 1 << 20}) {
    AlltoallvFacts facts{at(256, 256, 1, &builtin_links)};
    facts.partners = facts.most_partners = 3;
    facts.bytes = static_cast<double>(3 * bytes);
    facts.most_bytes = 3 * bytes;
    facts.largest_block = bytes;
    chosen.insert(name(decide_exchange(facts, "auto")));
  }
  EXPECT_EQ(chosen.size(), 1u);
}

}  // namespace
}  // namespace heddle::select::decide_test
