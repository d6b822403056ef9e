// The plans of all ranks of an access, played in one process.
#include "engine/file/plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "engine/file/coverage.hpp"
#include "layout/grammar.hpp"

namespace heddle::engine::files::plan_test {
namespace {

View view(const std::string& text, Bytes displacement = 0) { return {layout::grammar::parse(text)->layout, displacement}; }

/// Columns of a matrix of bytes.
struct Columns {
  static constexpr int ranks = 3, rows = 10, wide = 7;
  std::vector<View> views;
  std::vector<Accessed> accesses{std::size_t{ranks}, Accessed{0, rows* wide}};
  Columns() {
    for (int rank = 0; rank < ranks; ++rank)
      views.push_back(view("subarray([10, 21], [10, 7], [0, " + std::to_string(rank * wide) + "], char)", 5));
  }
  [[nodiscard]] std::vector<Plan> plans(const Cut& cut) const {
    std::vector<Plan> all;
    for (int rank = 0; rank < ranks; ++rank) all.emplace_back(accesses, views, cut, rank);
    return all;
  }
};

}  // namespace

TEST(Plan, MovesEachByteOnceByTheSameWordsOnBothSides) {
  const Columns columns;
  for (const Cut cut : {Cut{3, 16, 8}, Cut{1, 64, 64}, Cut{2, 5, 1}, Cut{3, 4096, 4096}, Cut{3, 1, 1}}) {
    const std::vector<Plan> plans = columns.plans(cut);
    std::map<Bytes, int> pieces;  // bytes of the file that some owner has
    std::vector<Bytes> moved(Columns::ranks);
    for (int owner = 0; owner < Columns::ranks; ++owner) {
      const std::vector<Round>& rounds = plans[static_cast<std::size_t>(owner)].rounds();
      ASSERT_EQ(rounds.size(), plans[0].rounds().size());
      for (std::size_t number = 0; number < rounds.size(); ++number) {
        const Round& round = rounds[number];
        EXPECT_LE(round.piece.bytes(), cut.piece);
        EXPECT_EQ(round.bytes(), round.piece.bytes()) << "the columns have no gap";
        for (Bytes at = round.piece.low; at < round.piece.high; ++at) ++pieces[at];
        for (const Part& part : round.owned) {
          const auto there = static_cast<std::size_t>(part.rank);
          EXPECT_EQ(part.from, moved[there]) << "pieces follow each other, and so do the parts of a stream";
          moved[there] += part.bytes;
          const Part same{owner, part.from, part.bytes};
          const std::vector<Part>& own = plans[there].rounds()[number].own;
          EXPECT_EQ(std::count(own.begin(), own.end(), same), 1);
        }
      }
      std::size_t own = 0, owned = 0;
      for (const Plan& plan : plans)
        for (const Round& round : plan.rounds()) own += round.own.size(), owned += round.owned.size();
      EXPECT_EQ(own, owned);
    }
    EXPECT_EQ(pieces.size(), 210U);
    EXPECT_EQ(pieces.begin()->first, 5);
    for (const auto& [at, times] : pieces) EXPECT_EQ(times, 1) << at;
  }
}

TEST(Plan, IsEmptyWithoutBytes) {
  Columns columns;
  columns.accesses.assign(Columns::ranks, Accessed{});
  EXPECT_TRUE(columns.plans({2, 16, 8})[0].rounds().empty());
  EXPECT_EQ(range_of(columns.accesses, columns.views), FileRange{});
}

TEST(Plan, BeginsPiecesAtMultiplesOfTheAlignment) {
  const Columns columns;
  for (const Plan& plan : columns.plans({3, 32, 16}))
    for (const Round& round : plan.rounds()) EXPECT_TRUE(round.piece.low % 16 == 0 || round.piece.low == 5);
}

TEST(Coverage, IsCompleteIfAllBytesAreWritten) {
  const Columns columns;
  Coverage coverage;
  coverage.reserve(4096);
  for (const Plan& plan : columns.plans({3, 4096, 1}))
    for (const Round& round : plan.rounds()) EXPECT_TRUE(coverage.complete(round, columns.views));
}

TEST(Coverage, SeesAHoleThatAnOverlapHidesFromTheCount) {
  // Both write bytes 0 to 3. Nobody writes bytes 4 to 7.
  const std::vector<View> views{view("resized(hindexed([4, 4], [0, 8], char), 0, 16)"),
                                view("resized(hindexed([4, 4], [0, 12], char), 0, 16)")};
  const std::vector<Accessed> accesses(2, Accessed{0, 8});
  const Plan plan(accesses, views, {1, 64, 1}, 0);
  ASSERT_EQ(plan.rounds().size(), 1U);
  const Round& round = plan.rounds()[0];
  EXPECT_EQ(round.bytes(), round.piece.bytes());
  Coverage coverage;
  coverage.reserve(16);
  EXPECT_FALSE(coverage.complete(round, views));
  std::vector<FileRange> runs;
  coverage.for_each_run(round, views, [&](const FileRange& run) { runs.push_back(run); });
  EXPECT_EQ(runs, (std::vector<FileRange>{{0, 4}, {8, 16}}));
}

}  // namespace heddle::engine::files::plan_test
