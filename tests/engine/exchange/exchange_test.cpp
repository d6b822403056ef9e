// Runs the exchange of blocks with all its ranks in one process, in random order or as threads.
// Blocks travel as messages of their own, in aggregates or by mailboxes. Every block arrives once,
// whole, in its place. Differing sizes harm no other block.
#include "engine/exchange/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "engine/exchange/persistent_mailboxes.hpp"
#include "engine/exchange/routed.hpp"
#include "engine/node/rendezvous_sender.hpp"
#include "mail.hpp"
#include "network.hpp"
#include "schedule/algorithms.hpp"
#include "together.hpp"

namespace heddle::engine::test::exchange_test {
namespace {

constexpr int truncated = 15, unpackable = 16, no_memory = 17;
constexpr Bytes memory_size = 2 << 20;

/// Messages by tags. Mailboxes are settled over the Network's channel.
class Post {
 public:
  struct Letter {
    Rank from, to;
    int tag;
    Content content;
  };
  void send(Letter letter) {
    const std::lock_guard guard(lock_);
    ++messages;
    letters_.push_back(std::move(letter));
    sent_.notify_all();
  }
  [[nodiscard]] bool here(Rank from, Rank to, int tag) {
    const std::lock_guard guard(lock_);
    return find(from, to, tag) != letters_.end();
  }
  Content take(Rank from, Rank to, int tag) {
    const std::lock_guard guard(lock_);
    const auto found = find(from, to, tag);
    Content content = std::move(found->content);
    letters_.erase(found);
    return content;
  }
  /// Waits for a message to `to` that `wanted(from, tag)`. False: none comes.
  template <class Wanted>
  [[nodiscard]] bool wait(Rank to, Wanted wanted) {
    std::unique_lock guard(lock_);
    return sent_.wait_for(guard, patience, [&] {
      return std::ranges::any_of(letters_, [&](const Letter& one) { return one.to == to && wanted(one.from, one.tag); });
    });
  }
  [[nodiscard]] bool empty() const { return letters_.empty(); }
  std::size_t messages = 0;
  std::chrono::seconds patience{0};  ///< If ranks are threads, a rank may still send.

 private:
  [[nodiscard]] std::deque<Letter>::iterator find(Rank from, Rank to, int tag) {
    return std::ranges::find_if(letters_,
                                [&](const Letter& one) { return one.from == from && one.to == to && one.tag == tag; });
  }
  std::mutex lock_;
  std::condition_variable sent_;
  std::deque<Letter> letters_;
};

/// The node memory of a rank.
struct Lender {
  static std::int64_t no_time() { return 0; }
  Memory memory{memory_size};
  Arena arena{memory.base(), memory_size};
  ScratchPool scratch_pool;
  Distances distances{1, no_time};
  RendezvousSender rendezvous_sender{arena, {}, 0, no_time, true, {&scratch_pool, distances}};
  Loans loans{rendezvous_sender};
  [[nodiscard]] MailRoom room() { return {.loans = &loans, .memory = memory.base(), .size = memory_size, .crowded = true}; }
};

/// One rank. Its blocks lie in memory of their own, in every second byte.
class World final : public Carrier {
 public:
  World(Post& post, Rank me, std::vector<std::unique_ptr<Lender>>* lenders) : post_(post), me_(me), lenders_(lenders) {}

  Content& content(int number) {
    const auto i = static_cast<std::size_t>(number);
    if (contents_.size() <= i) contents_.resize(i + 1);
    return contents_[i];
  }
  Begun receive(const Block& block, Tickets tickets, int& error) noexcept override {
    const bool plain = block.bytes % 3 == 0;
    ticket(plain ? tickets.plain : tickets.followed) = {.block = &block, .room = block.bytes};
    error = 0;
    return plain ? Begun::plain : block.bytes % 3 == 1 ? Begun::followed : Begun::driven;
  }
  Begun send(const Block& block, Tickets tickets, int& error) noexcept override {
    const bool plain = block.bytes % 2 == 0;
    Content packed(static_cast<std::size_t>(block.bytes));
    error = pack(block, packed.data());
    ticket(plain ? tickets.plain : tickets.followed) = {};
    put(block, std::move(packed));
    return plain ? Begun::plain : Begun::followed;
  }
  int receive_bytes(const Block& block, std::byte* to, Bytes bytes, Ticket number) noexcept override {
    ticket(number) = {.block = &block, .to = to, .room = bytes};
    return 0;
  }
  int send_bytes(const Block& block, const std::byte* from, Bytes bytes, Ticket number) noexcept override {
    ticket(number) = {};
    put(block, Content(from, from + bytes));
    return 0;
  }
  bool over(Ticket number, bool wait, int& error) noexcept override {
    Message& message = ticket(number);
    error = 0;
    if (!message.block) return true;
    const Block& block = *message.block;
    const auto wanted = [&block](Rank from, int tag) { return from == block.rank && tag == block.tag; };
    if (wait ? !post_.wait(me_, wanted) : !post_.here(block.rank, me_, block.tag)) {
      EXPECT_FALSE(wait) << "nobody will send";
      return false;
    }
    const Content came = post_.take(block.rank, me_, block.tag);
    if (std::ssize(came) > message.room)
      error = truncated;
    else if (message.to)
      std::ranges::copy(came, message.to);
    else
      error = unpack(block, came.data(), std::ssize(came));
    message = {};
    return true;
  }
  Ticket wait_any(Ticket first, int count, int& error) noexcept override {
    Ticket come = none;
    const auto wanted = [&](Rank from, int tag) {
      for (come = first; come < first + count; ++come)
        if (const Block* const block = ticket(come).block; block && block->rank == from && block->tag == tag) return true;
      return false;
    };
    if (post_.wait(me_, wanted) && over(come, false, error)) return come;
    ADD_FAILURE() << "nobody will send";
    return none;
  }
  bool probe(const Block& block) noexcept override { return post_.here(block.rank, me_, block.tag); }
  void progress() noexcept override {}

  int pack(const Block& block, std::byte* to) noexcept override {
    for (Bytes i = 0; i < block.bytes; ++i) to[i] = content(block.number)[static_cast<std::size_t>(2 * i)];
    return 0;
  }
  int unpack(const Block& block, const std::byte* from, Bytes bytes) noexcept override {
    for (Bytes i = 0; i < bytes; ++i) content(block.number)[static_cast<std::size_t>(2 * i)] = from[i];
    return 0;
  }
  bool moves(const Block& from, const Block& /*to*/) noexcept override { return from.bytes % 5 != 0; }
  void move(const Block& from, const Block& to) noexcept override { content(to.number) = content(from.number); }
  std::byte* hold(const Block& block) override { return (*lenders_)[static_cast<std::size_t>(block.rank)]->memory.base(); }
  [[nodiscard]] int error_of(Failure failure) const noexcept override {
    return failure == Failure::truncated ? truncated : failure == Failure::no_memory ? no_memory : unpackable;
  }

 private:
  struct Message {
    const Block* block = nullptr;  ///< The block to receive. Null: complete.
    std::byte* to = nullptr;
    Bytes room = 0;
  };
  Message& ticket(Ticket number) {
    const auto i = static_cast<std::size_t>(number);
    if (tickets_.size() <= i) tickets_.resize(i + 1);
    return tickets_[i];
  }
  void put(const Block& block, Content packed) { post_.send({me_, block.rank, block.tag, std::move(packed)}); }

  Post& post_;
  Rank me_;
  std::vector<std::unique_ptr<Lender>>* lenders_;
  std::vector<Content> contents_;
  std::vector<Message> tickets_;
};

std::byte said(Rank from, Rank to, int tag, int call, Bytes at) {
  return static_cast<std::byte>(from * 31 + to * 57 + tag * 101 + call * 11 + at * 7 + at / 251 + 1);
}

/// An edge. Both ends agree on it unless the program is wrong.
struct Line {
  Rank from, to;
  int tag;
  Bytes sent, expected;
};

std::vector<Line> random_lines(Rank ranks, int edges, std::mt19937& random, bool right = true) {
  std::vector<Line> all;
  const auto size = [&]() -> Bytes {
    switch (random() % 5) {
      case 0:
        return 0;
      case 1:
        return 1 + random() % 20'000;
      default:
        return 1 + random() % 600;
    }
  };
  for (Rank from = 0; from < ranks; ++from)
    for (Rank to = 0; to < ranks; ++to)
      for (int tag = 0; tag < edges; ++tag) {
        const Bytes sent = size();
        all.push_back({from, to, tag, sent, right || sent == 0 ? sent : 1 + static_cast<Bytes>(random() % 9'000)});
      }
  return all;
}

/// One rank's part of an exchange.
struct Mine {
  Mine(Post& post, Rank me, int outs, int ins, std::vector<std::unique_ptr<Lender>>* lenders)
      : world(post, me, lenders), exchange(world, me, outs, ins) {}
  World world;
  Exchange exchange;
  std::unique_ptr<PersistentMailboxes> persistent;
  std::vector<std::pair<Line, int>> sends, receives;  ///< With their numbers.
  bool started = false, over = false;

  void fill(int call) {
    for (const auto& [line, number] : sends) {
      Content& content = world.content(number);
      content.assign(static_cast<std::size_t>(2 * line.sent), std::byte{0xee});
      for (Bytes i = 0; i < line.sent; ++i)
        content[static_cast<std::size_t>(2 * i)] = said(line.from, line.to, line.tag, call, i);
    }
    for (const auto& [line, number] : receives)
      world.content(number).assign(static_cast<std::size_t>(2 * line.expected), std::byte{0xee});
  }
  void look(int call) {
    bool wrong = false;
    for (const auto& [line, number] : receives) {
      const Content& content = world.content(number);
      wrong |= line.sent > line.expected;
      if (line.sent > line.expected) continue;
      for (Bytes i = 0; i < line.expected; ++i) {
        const std::byte wanted = i < line.sent ? said(line.from, line.to, line.tag, call, i) : std::byte{0xee};
        ASSERT_EQ(content[static_cast<std::size_t>(2 * i)], wanted)
            << line.from << " to " << line.to << ", tag " << line.tag << ", call " << call << ", " << line.sent << " bytes";
      }
    }
    const int error = exchange.error() == 0 && persistent ? persistent->error() : exchange.error();
    EXPECT_EQ(error, wrong ? truncated : 0);
  }
};

/// A communicator.
class Job {
 public:
  explicit Job(Rank ranks) : ranks_(ranks), network_(ranks) {
    for (Rank me = 0; me < ranks; ++me) lenders_.push_back(std::make_unique<Lender>());
  }
  /// Blocking calls use mailboxes from the fourth call on. @param neighbours  Each rank has as
  /// neighbours only the two ranks beside it.
  void make_mailboxes(bool neighbours = false) {
    neighbours_ = neighbours;
    for (Rank me = 0; me < ranks_; ++me) {
      PairMailboxes::Peers peers;
      for (Rank peer = 0; peer < ranks_; ++peer) {
        const NodePeer one{peer, lender(peer).memory.base()};
        if (peer != me) peers.all.push_back(one);
        if (peer != me && (peer == (me + 1) % ranks_ || me == (peer + 1) % ranks_)) {
          peers.to.push_back(one);
          peers.from.push_back(one);
        }
      }
      mailboxes_.push_back(std::make_unique<PairMailboxes>(lender(me).room(), me, std::move(peers)));
    }
  }
  std::vector<std::unique_ptr<Mine>> ranks_of(const std::vector<Line>& lines) {
    std::vector<std::unique_ptr<Mine>> all;
    for (Rank me = 0; me < ranks_; ++me) {
      const auto most = static_cast<int>(lines.size());
      auto& mine = *all.emplace_back(std::make_unique<Mine>(post_, me, most, most, &lenders_));
      for (int k = 0; k < ranks_; ++k)
        for (const Line& line : lines) {
          if (line.from == me && line.to == (me + k) % ranks_ && line.sent > 0)
            mine.sends.emplace_back(line, mine.exchange.send(line.to, line.tag, line.sent));
          if (line.to == me && line.from == (me + ranks_ - k) % ranks_ && line.expected > 0)
            mine.receives.emplace_back(line, mine.exchange.receive(line.from, line.tag, line.expected));
        }
    }
    return all;
  }
  /// Ranks start and advance in random order.
  void run(std::vector<std::unique_ptr<Mine>>& all, int call, std::mt19937& random) {
    for (Rank me = 0; me < ranks_; ++me) {
      of(all, me).fill(call);
      of(all, me).started = of(all, me).over = false;
      if (mailboxes_.empty()) continue;
      PairMailboxes& mine = *mailboxes_[static_cast<std::size_t>(me)];
      mine.next(network_[me], neighbours_);
      if (mine.any()) of(all, me).exchange.use(mine);
    }
    std::vector<Rank> order;
    for (Rank me = 0; me < ranks_; ++me) order.push_back(me);
    std::ranges::shuffle(order, random);
    for (const Rank me : order) {
      start(of(all, me));
      for (int i = 0; i < ranks_; ++i) advance(of(all, order[random() % order.size()]), false);
    }
    for (const Rank me : order) advance(of(all, me), true);  // all messages have been sent
    for (const auto& mine : all) {
      ASSERT_TRUE(mine->over) << "call " << call;
      mine->look(call);
    }
    EXPECT_TRUE(post_.empty());
  }
  /// Each rank is a thread that makes its calls one after the other. `calls`: the ranks' parts of
  /// each call.
  void run_threads(std::vector<std::vector<std::unique_ptr<Mine>>>& calls, bool wait) {
    Together network(ranks_);
    post_.patience = std::chrono::seconds(60);
    std::vector<std::thread> threads;
    for (Rank me = 0; me < ranks_; ++me)
      threads.emplace_back([&, me] {
        for (std::size_t i = 0; i < calls.size(); ++i) {
          Mine& mine = of(calls[i], me);
          const int call = static_cast<int>(i) + 1;
          mine.fill(call);
          if (!mailboxes_.empty()) {
            PairMailboxes& mailboxes = *mailboxes_[static_cast<std::size_t>(me)];
            mailboxes.next(network[me], neighbours_);
            if (mailboxes.any()) mine.exchange.use(mailboxes);
          }
          start(mine);
          for (advance(mine, wait); !mine.over; advance(mine, wait)) std::this_thread::yield();
          mine.look(call);
        }
      });
    for (std::thread& one : threads) one.join();
    EXPECT_TRUE(post_.empty());
  }
  /// Each rank is a thread. Short blocks are bundled. Returns each rank's error.
  std::vector<int> run_routed(std::vector<std::unique_ptr<Mine>>& all, const schedule::Algorithm& algorithm,
                              Bytes straight_from) {
    Together network(ranks_);
    post_.patience = std::chrono::seconds(60);
    std::vector<int> errors(all.size());
    std::vector<std::thread> threads;
    for (Rank me = 0; me < ranks_; ++me)
      threads.emplace_back([&, me] {
        Mine& mine = of(all, me);
        mine.fill(1);
        Routed routed(mine.exchange, mine.world, {.ranks = ranks_}, straight_from, {.algorithm = &algorithm}, network[me]);
        mine.exchange.start(true);
        errors[static_cast<std::size_t>(me)] = routed.run();
        EXPECT_TRUE(mine.exchange.advance(true));
      });
    for (std::thread& one : threads) one.join();
    EXPECT_TRUE(post_.empty());
    return errors;
  }
  [[nodiscard]] Post& post() { return post_; }
  [[nodiscard]] Lender& lender(Rank rank) { return *lenders_[static_cast<std::size_t>(rank)]; }

 private:
  static Mine& of(std::vector<std::unique_ptr<Mine>>& all, Rank rank) { return *all[static_cast<std::size_t>(rank)]; }
  static void start(Mine& mine) {
    if (mine.persistent && mine.persistent->any()) mine.persistent->start();
    mine.exchange.start(true);
    mine.started = true;
  }
  static void advance(Mine& mine, bool wait) {
    if (mine.over || !mine.started) return;
    mine.over = mine.persistent && mine.persistent->any() ? mine.persistent->advance(wait) : mine.exchange.advance(wait);
  }

  Rank ranks_;
  bool neighbours_ = false;
  Network network_;
  Post post_;
  std::vector<std::unique_ptr<Lender>> lenders_;
  std::vector<std::unique_ptr<PairMailboxes>> mailboxes_;
};

}  // namespace

TEST(Exchange, EveryBlockArrivesInItsPlace) {
  std::mt19937 random(1);
  for (const Rank ranks : {1, 2, 3, 5, 8, 13})
    for (const int edges : {1, 2, 5}) {
      Job job(ranks);
      auto all = job.ranks_of(random_lines(ranks, edges, random));
      for (int call = 1; call <= 3; ++call) job.run(all, call, random);  // as for a persistent exchange
    }
}

// A rank may be a neighbour several times. Its small blocks travel in one message.
TEST(Exchange, SmallBlocksToOneRankTravelTogether) {
  Job job(2);
  std::vector<Line> lines;
  for (int tag = 0; tag < 7; ++tag) lines.push_back({0, 1, tag, tag == 3 ? 9'000 : 8, tag == 3 ? 9'000 : 8});
  auto all = job.ranks_of(lines);
  std::mt19937 random(2);
  job.run(all, 1, random);
  EXPECT_EQ(job.post().messages, 2u);
}

TEST(Exchange, ShortBlocksGoByMailboxesFromTheFourthCallOn) {
  std::mt19937 random(3);
  for (const Rank ranks : {2, 3, 6}) {
    Job job(ranks);
    job.make_mailboxes();
    for (int call = 1; call <= 20; ++call) {
      auto all = job.ranks_of(random_lines(ranks, 1, random));
      job.run(all, call, random);
    }
    std::vector<Line> lines;
    for (Rank from = 0; from < ranks; ++from)
      for (Rank to = 0; to < ranks; ++to) lines.push_back({from, to, 0, 1'001, 1'001});
    auto all = job.ranks_of(lines);
    const std::size_t before = job.post().messages;
    job.run(all, 21, random);
    EXPECT_EQ(job.post().messages, before);
  }
}

// The mailbox takes all of a neighbour's blocks if they fit together. Otherwise it takes the small
// blocks, and the rest are messages.
TEST(Exchange, WhatANeighbourGetsGoesThroughOneMailbox) {
  std::mt19937 random(6);
  for (const Rank ranks : {2, 3, 7}) {
    Job job(ranks);
    job.make_mailboxes(true);
    const auto beside = [ranks](Rank one, Rank other) { return (one + 1) % ranks == other || (other + 1) % ranks == one; };
    for (int call = 1; call <= 20; ++call) {
      std::vector<Line> lines = random_lines(ranks, 1 + call % 4, random);
      std::erase_if(lines, [&](const Line& line) { return line.from != line.to && !beside(line.from, line.to); });
      auto all = job.ranks_of(lines);
      job.run(all, call, random);
    }
    const auto messages = [&](Bytes one, Bytes other, int call) {
      std::vector<Line> lines;
      for (Rank from = 0; from < ranks; ++from)
        for (Rank to = 0; to < ranks; ++to)
          if (from != to && beside(from, to))
            for (int tag = 0; tag < 4; ++tag) lines.push_back({from, to, tag, tag == 2 ? other : one, tag == 2 ? other : one});
      auto all = job.ranks_of(lines);
      const std::size_t before = job.post().messages;
      job.run(all, call, random);
      return job.post().messages - before;
    };
    const std::size_t pairs = ranks == 2 ? 2 : 2 * static_cast<std::size_t>(ranks);
    EXPECT_EQ(messages(3'001, 12'001, 21), 0u);
    EXPECT_EQ(messages(11, 30'001, 22), pairs) << "the long one";
    EXPECT_EQ(messages(7'001, 7'003, 23), 3 * pairs) << "too much together, and none is small: one goes, ranks share cores";
  }
}

// The two sizes are on both sides of what a mailbox holds. Either side retracts the block.
TEST(Exchange, SizesThatDifferHarmNoOtherCall) {
  std::mt19937 random(4);
  Job job(4);
  job.make_mailboxes();
  for (int call = 1; call <= 200; ++call) {
    auto all = job.ranks_of(random_lines(4, 1, random, call % 2 == 0));
    job.run(all, call, random);
  }
}

// The machine decides which rank is late, which is a call ahead, and which takes a message back.
TEST(Exchange, RanksAreThreads) {
  std::mt19937 random(7);
  constexpr std::pair<bool, bool> blocking{true, false}, by_mailboxes{true, true}, asking{false, false};
  for (const auto& [wait, mailboxes] : {blocking, by_mailboxes, asking})
    for (const int edges : {1, 3}) {
      constexpr Rank ranks = 4;
      Job job(ranks);
      if (mailboxes) job.make_mailboxes();
      std::vector<std::vector<std::unique_ptr<Mine>>> calls;
      for (int call = 1; call <= 100; ++call)
        calls.push_back(job.ranks_of(random_lines(ranks, edges, random, edges > 1 || call % 2 == 0)));
      job.run_threads(calls, wait);
    }
}

PersistentMailboxes::Edges edges_of(Rank me, Rank ranks, int edges) {
  PersistentMailboxes::Edges all;
  for (Rank rank = 0; rank < ranks; ++rank)
    for (int tag = 0; rank != me && tag < edges; ++tag) all.out.push_back({rank, tag});
  all.in = all.out;
  return all;
}

// Also if the two ends of an edge have different sizes.
TEST(Exchange, PersistentOnesAgreeOnMailboxes) {
  std::mt19937 random(5);
  for (const auto& [edges, right] : {std::pair(1, true), std::pair(4, true), std::pair(1, false), std::pair(1, false)}) {
    constexpr Rank ranks = 4;
    Job job(ranks);
    auto all = job.ranks_of(random_lines(ranks, edges, random, right));
    // Each rank waits for the others in agree().
    Together network(ranks);
    std::vector<std::thread> threads;
    for (Rank me = 0; me < ranks; ++me) {
      Mine& mine = *all[static_cast<std::size_t>(me)];
      mine.persistent = std::make_unique<PersistentMailboxes>(mine.exchange, mine.world);
      threads.emplace_back([&job, &mine, &network, me, each = edges] {
        EXPECT_TRUE(mine.persistent->agree(edges_of(me, ranks, each), job.lender(me).room(), network[me]));
      });
    }
    for (std::thread& one : threads) one.join();
    const std::size_t before = job.post().messages;
    for (int call = 1; call <= 10; ++call) job.run(all, call, random);
    EXPECT_TRUE(std::ranges::all_of(all, [](const auto& mine) { return mine->persistent->any(); }));
    EXPECT_GT(job.post().messages, before);  // the long blocks
  }
}

TEST(Routed, ShortBlocksAreBundledAndLongOnesGoStraight) {
  constexpr Bytes straight_from = 300;
  std::mt19937 random(11);
  for (const Rank ranks : {1, 2, 5, 8})
    for (const char* name : {"crystal", "bruck"}) {
      Job job(ranks);
      const std::vector<Line> lines = random_lines(ranks, 1, random);
      auto all = job.ranks_of(lines);
      for (const int error : job.run_routed(all, *schedule::find(schedule::alltoallv(), name), straight_from))
        EXPECT_EQ(error, 0);
      for (const auto& mine : all) mine->look(1);
      const auto straight = std::ranges::count_if(lines, [](const Line& line) {
        return line.from == line.to ? line.sent > 0 && line.sent % 5 == 0 : line.sent >= straight_from;
      });
      EXPECT_EQ(static_cast<std::ptrdiff_t>(job.post().messages), straight);
    }
}

TEST(Routed, ABundledBlockThatIsTooLongIsTruncatedAndHarmsNobody) {
  Job job(3);
  auto all = job.ranks_of({{0, 1, 0, 20, 10}, {2, 1, 0, 30, 30}, {1, 2, 0, 8, 9}});
  const auto errors = job.run_routed(all, *schedule::find(schedule::alltoallv(), "crystal"), 300);
  EXPECT_EQ(errors, (std::vector<int>{0, truncated, 0}));
  const Content& right = all[1]->world.content(all[1]->receives[all[1]->receives[0].first.from == 2 ? 0 : 1].second);
  for (Bytes i = 0; i < 30; ++i) EXPECT_EQ(right[static_cast<std::size_t>(2 * i)], said(2, 1, 0, 1, i));
}

}  // namespace heddle::engine::test::exchange_test
