// The sparse exchange with ranks that are threads. By every way, each rank gets the messages for
// it, by source, in order.
#include "engine/collective/sparse_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "together.hpp"

namespace heddle::engine::sparse::sparse_exchange_test {
namespace {

using test::Content;
using test::Together;

/// The messages whose receivers do not know of them, with the barrier and the all-to-all of
/// volumes.
class Meeting {
 public:
  explicit Meeting(Rank ranks) : volumes_(static_cast<std::size_t>(ranks)), barriers_(volumes_.size()) {}

  class End final : public Anybody {
   public:
    End(Meeting& meeting, Rank me) : all_(meeting), me_(me) {}
    void send(Rank to, const std::byte* at, Bytes bytes) override {
      const std::lock_guard guard(all_.lock_);
      all_.letters_.push_back({me_, to, at, bytes});
    }
    bool all_received() override {
      const std::lock_guard guard(all_.lock_);
      return std::ranges::none_of(all_.letters_, [this](const Letter& one) { return one.from == me_; });
    }
    std::optional<Found> find() override {
      const std::lock_guard guard(all_.lock_);
      const auto found = std::ranges::find(all_.letters_, me_, &Letter::to);
      if (found == all_.letters_.end()) return {};
      return Found{found->from, found->bytes};
    }
    void receive(std::byte* to, Bytes bytes) override {
      const std::lock_guard guard(all_.lock_);
      const auto found = std::ranges::find(all_.letters_, me_, &Letter::to);
      std::copy_n(found->at, bytes, to);
      all_.letters_.erase(found);
    }
    void finish_receives() override {}
    void begin_barrier() override {
      EXPECT_TRUE(all_received());
      const std::lock_guard guard(all_.lock_);
      all_.barriers_[static_cast<std::size_t>(me_)] = true;
    }
    bool barrier_is_over() override {
      const std::lock_guard guard(all_.lock_);
      return std::ranges::all_of(all_.barriers_, [](bool here) { return here; });
    }

   private:
    Meeting& all_;
    Rank me_;
  };

  void all_to_all(Rank me, std::span<const Volume> out, std::span<Volume> in) {
    std::unique_lock guard(lock_);
    volumes_[static_cast<std::size_t>(me)].assign(out.begin(), out.end());
    come_.notify_all();
    come_.wait(guard, [this] { return std::ranges::none_of(volumes_, [](const auto& of) { return of.empty(); }); });
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = volumes_[i][static_cast<std::size_t>(me)];
  }
  [[nodiscard]] bool empty() const { return letters_.empty(); }

 private:
  struct Letter {
    Rank from, to;
    const std::byte* at;
    Bytes bytes;
  };
  std::mutex lock_;
  std::condition_variable come_;
  std::deque<Letter> letters_;
  std::vector<std::vector<Volume>> volumes_;
  std::vector<bool> barriers_;
};

/// Every second message is packed only when it travels. Every third message cannot be received in
/// its place.
class Ends final : public Program {
 public:
  std::vector<Content> contents;
  std::vector<Departure> sent;
  std::vector<Content> places;
  int laid_out = 0;

  void add(Rank to, Content content) {
    contents.push_back(std::move(content));
    sent.push_back({to, std::ssize(contents.back()), nullptr});
  }
  void close() {
    for (std::size_t i = 0; i < sent.size(); i += 2) sent[i].packed = contents[i].data();
  }
  [[nodiscard]] std::span<const Departure> departures() const override { return sent; }
  void pack(std::size_t departure, std::byte* to) override { std::ranges::copy(contents[departure], to); }
  void lay_out(std::span<const Arrival> arrivals) override {
    ++laid_out;
    for (const Arrival& one : arrivals) places.emplace_back(static_cast<std::size_t>(one.bytes));
  }
  std::byte* place_of(std::size_t arrival) override { return arrival % 3 == 2 ? nullptr : places[arrival].data(); }
};

Content content(Rank from, Rank to, int number, Bytes bytes) {
  Content all(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<std::byte>(from * 31 + to * 57 + number * 101 + static_cast<int>(i) * 7);
  return all;
}

enum class By { consensus, counts, crystal };

void run(Rank ranks, By by, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Ends> ends(static_cast<std::size_t>(ranks));
  std::vector<std::vector<std::pair<Rank, Content>>> expected(ends.size());
  for (Rank from = 0; from < ranks; ++from)
    for (int number = 0; number < static_cast<int>(random() % 7); ++number) {
      const auto to = static_cast<Rank>(random() % static_cast<unsigned>(ranks));
      const Bytes bytes = random() % 4 == 0 ? 0 : static_cast<Bytes>(random() % 900);
      const Content one = content(from, to, number, bytes);
      ends[static_cast<std::size_t>(from)].add(to, one);
      expected[static_cast<std::size_t>(to)].emplace_back(from, one);
    }
  for (Ends& one : ends) one.close();
  Meeting meeting(ranks);
  Together direct(ranks);
  Together bundles(ranks);
  std::vector<std::thread> threads;
  for (Rank me = 0; me < ranks; ++me)
    threads.emplace_back([&, me] {
      Ends& mine = ends[static_cast<std::size_t>(me)];
      Exchange exchange(me, ranks, mine, direct[me]);
      Meeting::End anybody(meeting, me);
      if (by == By::consensus) exchange.by_consensus(anybody, true);
      if (by == By::counts) exchange.by_counts([&](auto out, auto in) { meeting.all_to_all(me, out, in); });
      if (by == By::crystal) exchange.by_crystal({.ranks = ranks}, {}, 500, bundles[me]);
      const auto& wanted = expected[static_cast<std::size_t>(me)];
      ASSERT_EQ(exchange.arrivals().size(), wanted.size());
      EXPECT_EQ(mine.laid_out, 1);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Arrival& one = exchange.arrivals()[i];
        EXPECT_EQ(one.from, wanted[i].first);
        EXPECT_TRUE(std::ranges::equal(std::span(one.at, static_cast<std::size_t>(one.bytes)), wanted[i].second));
        if (by == By::counts && one.bytes > 0 && one.from != me && i % 3 != 2) {
          EXPECT_EQ(one.at, mine.places[i].data());
        }
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_TRUE(meeting.empty());
}

TEST(Sparse, ByEveryWayEachRankGetsWhatWasSentToIt) {
  for (const By by : {By::consensus, By::counts, By::crystal})
    for (const Rank ranks : {1, 2, 3, 8})
      for (unsigned seed = 1; seed <= 10; ++seed) run(ranks, by, seed);
}

}  // namespace
}  // namespace heddle::engine::sparse::sparse_exchange_test
