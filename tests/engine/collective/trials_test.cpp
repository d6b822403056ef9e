// engine/collective/trials.hpp, volume_agreement.hpp: all ranks of a communicator go the same way
// in each call. Calls that pass without asking do not change that.
#include "engine/collective/trials.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::engine::trials_test {
namespace {

using Call = TrialKind::Call;
using Clock = Trials::Clock;

/// Reductions of ranks that each make the call, one rank after the other.
class Board {
 public:
  explicit Board(int ranks) : ranks_(ranks) {}

  class End final : public Reductions {
   public:
    explicit End(Board& board) : board_(board) {}
    void begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept override {
      Sum& sum = next(number);
      sum.numbers.resize(mine.size(), by == By::sum ? 0 : INT64_MIN);
      for (std::size_t i = 0; i < mine.size(); ++i)
        sum.numbers[i] = by == By::sum ? sum.numbers[i] + mine[i] : std::max(sum.numbers[i], mine[i]);
      mine_[number] = {&sum, all, nullptr};
    }
    void begin(int number, const select::Share& mine, select::Share& all) noexcept override {
      Sum& sum = next(number);
      sum.share = sum.begun == 1 ? mine : joined(sum.share, mine);
      mine_[number] = {&sum, {}, &all};
    }
    void wait(int number) noexcept override {
      const auto found = mine_.find(number);
      if (found == mine_.end()) return;
      const Mine& mine = found->second;
      EXPECT_EQ(mine.sum->begun, board_.ranks_) << "somebody has not begun it";
      std::ranges::copy(mine.sum->numbers, mine.all.begin());
      if (mine.share) *mine.share = mine.sum->share;
      mine_.erase(found);
    }

   private:
    struct Sum {
      int begun = 0;
      std::vector<std::int64_t> numbers;
      select::Share share;
    };
    struct Mine {
      Sum* sum;
      std::span<std::int64_t> all;
      select::Share* share;
    };
    friend Board;
    Sum& next(int number) {
      EXPECT_FALSE(mine_.contains(number)) << "nobody has waited for the last one";
      EXPECT_TRUE(number >= 0 && number < most);
      auto& sum = board_.sums_[{number, begun_[number]++}];
      if (!sum) sum = std::make_unique<Sum>();
      ++sum->begun;
      return *sum;
    }
    Board& board_;
    std::map<int, int> begun_;
    std::map<int, Mine> mine_;
  };

 private:
  int ranks_;
  std::map<std::pair<int, int>, std::unique_ptr<End::Sum>> sums_;
};

/// The clock of all ranks.
std::int64_t time_now = 0;
std::int64_t now() noexcept { return time_now; }

struct Rank {
  Rank(Board& board, Clock clock) : end(board), agreement(end), trials(end, clock, now) {}
  Board::End end;
  Agreement agreement;
  Trials trials;
  Passing passing;
};

constexpr int ranks = 3;

struct Job {
  explicit Job(Clock clock = Clock::of_node) {
    for (int i = 0; i < ranks; ++i) all.push_back(std::make_unique<Rank>(board, clock));
  }
  Board board{ranks};
  std::vector<std::unique_ptr<Rank>> all;
};

/// One call of all ranks, with the given times by either way. Returns whether it goes the library's
/// way.
bool call(Job& job, const TrialKind& kind, int heddle_ns, int library_ns) {
  int library = 0;
  for (const auto& rank : job.all) {
    TimedCall timed;
    library += rank->trials.library(kind, timed) ? 1 : 0;
    EXPECT_EQ(timed.is_librarys(), rank->trials.last());
    time_now += rank->trials.last() ? library_ns : heddle_ns;
  }
  EXPECT_TRUE(library == 0 || library == ranks) << library;
  return library > 0;
}

constexpr int settled = select::Trial::warm + select::Trial::calls + select::Trial::later;

TEST(Trials, TheQuickerWayIsKeptByWhateverClock) {
  for (const Clock clock : {Clock::of_node, Clock::of_crowded_node, Clock::of_each})
    for (const bool quick : {false, true}) {
      Job job(clock);
      for (int i = 0; i < settled; ++i) call(job, {.call = Call::alltoallv}, quick ? 500 : 5, quick ? 5 : 500);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(call(job, {.call = Call::alltoallv}, 0, 0), quick) << static_cast<int>(clock);
    }
}

TEST(Trials, KindsOfCallsDoNotConcernEachOther) {
  Job job;
  for (int i = 0; i < settled; ++i) {
    call(job, {.call = Call::alltoall}, 500, 5);
    call(job, {.call = Call::alltoall, .volumes = 1}, 5, 500);
  }
  EXPECT_TRUE(call(job, {.call = Call::alltoall}, 0, 0));
  EXPECT_FALSE(call(job, {.call = Call::alltoall, .volumes = 1}, 0, 0));
}

TEST(Trials, MoreKindsThanReductionsAreNotTried) {
  Job job;
  constexpr auto most = static_cast<std::uint64_t>(Reductions::most);
  for (int i = 0; i < settled; ++i)
    for (std::uint64_t volumes = 0; volumes < most; ++volumes) {
      const bool library = call(job, {.call = Call::allgatherv, .volumes = volumes}, 0, 0);
      EXPECT_FALSE(library && volumes == most - 1);
    }
}

/// The way of each of `calls` calls. @param pass  Calls that need not ask pass.
std::vector<bool> candidates(Job& job, int calls, bool pass) {
  const TrialKind kind{.call = Call::neighbor_alltoall};
  std::vector<bool> all;
  for (int i = 0; i < calls; ++i) {
    int library = 0;
    for (const auto& rank : job.all) {
      TimedCall timed;
      if (pass && rank->passing.passes(kind.call)) {
        ++library;
        continue;
      }
      rank->passing.stop();
      const bool is = rank->trials.library(kind, timed);
      if (is && pass) rank->passing.begin(kind.call, rank->trials, nullptr);
      library += is ? 1 : 0;
      time_now += is ? 5 : 500;
    }
    EXPECT_TRUE(library == 0 || library == ranks) << i;
    all.push_back(library > 0);
  }
  return all;
}

TEST(Passing, CallsThatPassCountAsIfTheyHadAsked) {
  Job one;
  Job other;
  const int calls = settled + static_cast<int>(select::Trial::soon) + 2 * select::Trial::calls;
  EXPECT_EQ(candidates(one, calls, true), candidates(other, calls, false));
}

TEST(Passing, IsForOneProcedureAndEnds) {
  Job job;
  candidates(job, settled + 1, true);
  Passing& passing = job.all[0]->passing;
  EXPECT_FALSE(passing.passes(Call::neighbor_allgather));
  EXPECT_TRUE(passing.passes(Call::neighbor_alltoall));
  passing.stop();
  EXPECT_FALSE(passing.passes(Call::neighbor_alltoall));
}

TEST(Agreement, WhatAllHaveToldCountsForAllFromTheSameCallOn) {
  const auto around = select::topology_of({0, 0, 0}, 3, false, select::builtin_links);
  Job job;
  for (int i = 0; i < 200; ++i) {
    std::array<std::uint64_t, ranks> volumes{}, digests{};
    for (std::size_t me = 0; me < ranks; ++me) {
      Agreement& agreement = job.all[me]->agreement;
      const auto bytes = [&](int to) { return to == static_cast<int>(me) ? 0 : 100; };
      agreement.next(around, static_cast<int>(me), bytes, bytes);
      volumes[me] = agreement.volumes();
      digests[me] = agreement.digest();
    }
    EXPECT_EQ(volumes[0] != 0, i >= select::Cadence::later) << i;
    for (std::size_t me = 1; me < ranks; ++me) {
      EXPECT_EQ(volumes[me], volumes[0]) << i;
      EXPECT_EQ(digests[me], digests[0]) << i;
    }
  }
  EXPECT_EQ(job.all[0]->agreement.every(), job.all[1]->agreement.every());
}

}  // namespace
}  // namespace heddle::engine::trials_test
