// The analysis of late ranks, with all ranks in one process.
#include "report/late_ranks.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>
#include <vector>

#include "no_meanings.hpp"

namespace heddle::report::late_ranks_test {
namespace {

CallSite site_of(const char* name) { return CallSite({.procedure = name, .place = {}, .datatype = {}, .communicator = {}}); }

/// The notes that each rank hears, of those that each has written.
template <class Note>
std::vector<Notes<Note>> exchanged(const std::vector<Notes<Note>>& all) {
  const auto ranks = static_cast<int>(all.size());
  std::vector<Notes<Note>> heard(all.size(), Notes<Note>(ranks));
  for (std::size_t from = 0; from < all.size(); ++from) {
    std::size_t at = 0;
    for (std::size_t to = 0; to < all.size(); ++to) {
      const auto some = static_cast<std::size_t>(all[from].counts[to]);
      heard[to].counts[from] = all[from].counts[to];
      heard[to].notes.insert(heard[to].notes.end(), all[from].notes.begin() + static_cast<std::ptrdiff_t>(at),
                             all[from].notes.begin() + static_cast<std::ptrdiff_t>(at + some));
      at += some;
    }
  }
  return heard;
}

class LateRank : public testing::Test {
 protected:
  static constexpr int ranks = 3;
  LateRank() {
    for (int i = 0; i < ranks; ++i) logs_.push_back(std::make_unique<MessageLog>(nothing_, 1000));
  }
  /// A call of a rank, by the clock of rank 0.
  void call(int rank, const CallSite& site, double begin, double end, const Ends& ends, std::uint64_t communicator = 1,
            int root = 0) {
    Called called{.root = root};
    called.ends = ends;
    Partners partners{.me = rank, .world = {0, 1, 2}};
    const double ahead = ahead_[static_cast<std::size_t>(rank)];
    logs_[static_cast<std::size_t>(rank)]->add(
        called, &partners, communicator,
        {.site = &site, .begin = begin - ahead, .end = end - ahead, .call = 0, .thread = 0, .others = false}, true);
  }
  /// The analysis, as all ranks do it together.
  void analyse() {
    std::vector<LateRanks> all;
    for (int i = 0; i < ranks; ++i)
      all.emplace_back(*logs_[static_cast<std::size_t>(i)], i, ranks, ahead_[static_cast<std::size_t>(i)], error_);
    std::vector<Notes<Sent>> sent;
    for (LateRanks& each : all) {
      std::vector<int> most;  // receives of each rank from this one
      for (const LateRanks& other : all) most.push_back(other.received()[sent.size()]);
      sent.push_back(each.sent(most));
    }
    sent = exchanged(sent);
    std::vector<Notes<Answer>> answers;
    for (std::size_t i = 0; i < all.size(); ++i) answers.push_back(all[i].answer(sent[i]));
    answers = exchanged(answers);
    std::vector<Notes<Arrived>> arrived;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].hear(answers[i]);
      arrived.push_back(all[i].arrived());
    }
    arrived = exchanged(arrived);
    std::vector<Notes<Latest>> latest;
    for (const auto& each : arrived) latest.push_back(LateRanks::latest(each));
    latest = exchanged(latest);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].hear(latest[i]);
      found_.push_back(all[i].found());
      arrows_.push_back(all[i].arrows());
    }
  }

  NoMeanings nothing_;
  std::vector<double> ahead_ = {0, 0, 0};
  double error_ = 0;
  std::vector<std::unique_ptr<MessageLog>> logs_;
  std::vector<std::vector<Late>> found_;
  std::vector<std::vector<Arrow>> arrows_;
  const CallSite receive_ = site_of("MPI_Recv"), send_ = site_of("MPI_Send"), wait_ = site_of("MPI_Waitall");
};

TEST_F(LateRank, ALateSender) {
  call(0, receive_, 100, 180, {.source = 1});
  call(1, send_, 170, 175, {.destination = 0});
  analyse();
  ASSERT_EQ(found_[0].size(), 1U);
  EXPECT_EQ(found_[0][0].cause, Cause::late_sender);
  EXPECT_EQ(found_[0][0].rank, 1);
  EXPECT_EQ(found_[0][0].site, &receive_);
  EXPECT_EQ(found_[0][0].ns, 70);
  EXPECT_TRUE(found_[1].empty()) << "the receiver was there";
  ASSERT_EQ(arrows_[0].size(), 1U);
  ASSERT_EQ(arrows_[1].size(), 1U);
  EXPECT_EQ(arrows_[0][0].from, arrows_[1][0].from);
  EXPECT_EQ(arrows_[0][0].number, arrows_[1][0].number);
}

TEST_F(LateRank, ClocksMayBeAsWrongAsTheirErrorSays) {
  // By the clock of rank 0, the receive seems to begin 4 ms after the send has ended.
  error_ = 2e6;
  call(0, send_, 0, 10e6, {.destination = 1, .tag = 1});
  call(1, receive_, 14e6, 15e6, {.source = 0, .source_tag = 1});
  call(0, receive_, 20e6, 24e6, {.source = 1, .source_tag = 2});
  call(1, send_, 28e6, 29e6, {.destination = 0, .tag = 2});
  analyse();
  ASSERT_EQ(found_[0].size(), 2U);
  EXPECT_EQ(found_[0][0].ns + found_[0][1].ns, 10e6 + 4e6) << "no wait is longer than its call";
}

TEST_F(LateRank, ALateReceiverCountsOnlyIfTheSenderWaited) {
  call(0, send_, 100, 200, {.destination = 1, .tag = 1});  // until the receiver came
  call(1, receive_, 190, 201, {.source = 0, .source_tag = 1});
  call(0, send_, 300, 310, {.destination = 1, .tag = 2});  // the library kept it
  call(1, receive_, 390, 401, {.source = 0, .source_tag = 2});
  analyse();
  ASSERT_EQ(found_[0].size(), 1U);
  EXPECT_EQ(found_[0][0].cause, Cause::late_receiver);
  EXPECT_EQ(found_[0][0].ns, 90);
  EXPECT_TRUE(found_[1].empty());
}

TEST_F(LateRank, ACallWaitsForTheLastOfItsMessages) {
  const std::vector<std::uint64_t> requests = {1, 2};
  call(0, receive_, 10, 11, {.source = 1, .begun = &requests[0]});
  call(0, receive_, 12, 13, {.source = 2, .begun = &requests[1]});
  call(0, wait_, 20, 100, {.completes = Completes::all, .completed = requests.data(), .requests = 2});
  call(1, send_, 40, 41, {.destination = 0});
  call(2, send_, 90, 91, {.destination = 0});
  analyse();
  ASSERT_EQ(found_[0].size(), 1U);
  EXPECT_EQ(found_[0][0].rank, 2);
  EXPECT_EQ(found_[0][0].ns, 70) << "not 70 + 20";
  EXPECT_EQ(found_[0][0].site, &wait_);
}

TEST_F(LateRank, MessagesMatchInOrderByCommunicatorSourceAndTag) {
  // Rank 1 sends a to tag 1, b to tag 2, c to tag 1, d on another communicator.
  call(1, send_, 100, 101, {.destination = 0, .tag = 1});
  call(1, send_, 200, 201, {.destination = 0, .tag = 2});
  call(1, send_, 300, 301, {.destination = 0, .tag = 1});
  call(1, send_, 400, 401, {.destination = 0, .tag = 1}, 2);
  // Rank 0 receives d, b, a, c.
  call(0, receive_, 390, 402, {.source = 1, .source_tag = 1}, 2);
  call(0, receive_, 403, 404, {.source = 1, .source_tag = 2});
  call(0, receive_, 405, 406, {.source = 1, .source_tag = 1});
  call(0, receive_, 407, 408, {.source = 1, .source_tag = 1});
  analyse();
  ASSERT_EQ(found_[0].size(), 1U);
  EXPECT_EQ(found_[0][0].ns, 10) << "only the first had to wait, for d";
  std::map<double, std::uint32_t> received;
  for (const Arrow& each : arrows_[0]) received[each.at] = each.number;
  EXPECT_EQ(received, (std::map<double, std::uint32_t>{{402, 3}, {404, 1}, {406, 0}, {408, 2}}));
}

TEST_F(LateRank, ALogThatEndsEarlyLeavesTheOthers) {
  call(1, send_, 100, 101, {.destination = 0});
  call(0, receive_, 90, 102, {.source = 1});
  call(0, receive_, 103, 110, {.source = 1});  // its send is not in the log
  call(2, send_, 1, 2, {.destination = 0});    // its receive is not
  analyse();
  ASSERT_EQ(found_[0].size(), 1U);
  EXPECT_EQ(found_[0][0].ns, 10);
  EXPECT_EQ(arrows_[0].size(), 1U);
  EXPECT_TRUE(arrows_[2].empty());
}

TEST_F(LateRank, Collectives) {
  for (int rank = 0; rank < ranks; ++rank) call(rank, wait_, 100 + 10 * rank, 130, {.meets = Meets::all});
  for (int rank = 0; rank < ranks; ++rank)  // the root, rank 1, is the last
    call(rank, send_, rank == 1 ? 260 : 200, 270, {.meets = Meets::root}, 1, 1);
  for (int rank = 0; rank < ranks; ++rank)  // the root, rank 0, waits for rank 2
    call(rank, receive_, rank == 2 ? 340 : 300, 350, {.meets = Meets::at_root}, 1, 0);
  analyse();
  const auto of = [&](int rank, const CallSite& site) {
    double ns = 0;
    int whom = -1;
    for (const Late& each : found_[static_cast<std::size_t>(rank)])
      if (each.site == &site) {
        EXPECT_EQ(each.cause, Cause::collective);
        ns += each.ns;
        whom = each.rank;
      }
    return std::pair(whom, ns);
  };
  EXPECT_EQ(of(0, wait_), std::pair(2, 20.0));
  EXPECT_EQ(of(1, wait_), std::pair(2, 10.0));
  EXPECT_EQ(of(2, wait_), std::pair(-1, 0.0));
  EXPECT_EQ(of(0, send_), std::pair(1, 60.0));
  EXPECT_EQ(of(1, send_), std::pair(-1, 0.0));
  EXPECT_EQ(of(2, send_), std::pair(1, 60.0));
  EXPECT_EQ(of(0, receive_), std::pair(2, 40.0));
  EXPECT_EQ(of(1, receive_), std::pair(-1, 0.0));
}

TEST_F(LateRank, ARankThatHasLeftWaitsForNobody) {
  call(0, wait_, 100, 400e3, {.meets = Meets::all});  // has no block for rank 2
  call(1, wait_, 399e3, 900e3, {.meets = Meets::all});
  call(2, wait_, 899e3, 900e3, {.meets = Meets::all});
  analyse();
  ASSERT_EQ(found_[0].size(), 1U);
  EXPECT_EQ(found_[0][0].rank, 1);
  EXPECT_EQ(found_[0][0].ns, 399e3 - 100);
  ASSERT_EQ(found_[1].size(), 1U);
  EXPECT_EQ(found_[1][0].rank, 2);
}

TEST_F(LateRank, ACallThatAlsoWaitsForOthersTellsNothingOfReceivers) {
  const std::vector<std::uint64_t> requests = {1, 99};  // 99: a collective
  call(0, send_, 10, 11, {.destination = 1, .begun = &requests[0]});
  call(0, wait_, 20, 600, {.completes = Completes::all, .completed = requests.data(), .requests = 2});
  call(1, receive_, 400, 401, {.source = 0});
  analyse();
  EXPECT_TRUE(found_[0].empty());
  EXPECT_EQ(arrows_[0].size(), 1U);
}

/// Random messages with random clocks: each arrow must join the two ends of one message.
TEST_F(LateRank, RandomMessagesAreMatched) {
  std::mt19937 random(7);
  ahead_ = {0, 1e9, -3e8};
  struct Message {
    int from, to, tag;
    std::uint64_t communicator;
  };
  std::vector<Message> messages;
  for (int i = 0; i < 300; ++i)
    messages.push_back(
        {static_cast<int>(random() % 3), static_cast<int>(random() % 3), static_cast<int>(random() % 3), random() % 2});
  double time = 1000;
  std::map<int, std::vector<std::size_t>> numbers;  // key: sender
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Message& each = messages[i];
    call(each.from, send_, time, time + 1, {.destination = each.to, .tag = each.tag}, each.communicator);
    numbers[each.from].push_back(i);
    time += 10;
  }
  // Receives come in a random order. Those of one communicator, source and tag keep theirs.
  std::map<double, std::size_t> received;  // key: end of the receive
  std::vector<std::size_t> rest(messages.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = i;
  while (!rest.empty()) {
    std::size_t at = random() % rest.size();
    for (std::size_t j = 0; j < at; ++j) {
      const Message &a = messages[rest[j]], &b = messages[rest[at]];
      if (a.from == b.from && a.to == b.to && a.tag == b.tag && a.communicator == b.communicator) at = j;
    }
    const Message& it = messages[rest[at]];
    call(it.to, receive_, time, time + 1, {.source = it.from, .source_tag = it.tag}, it.communicator);
    received[time + 1] = rest[at];
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    time += 10;
  }
  analyse();
  std::size_t arrows = 0;
  for (int rank = 0; rank < ranks; ++rank)
    for (const Arrow& each : arrows_[static_cast<std::size_t>(rank)]) {
      if (each.is_send) continue;
      ++arrows;
      EXPECT_EQ(received.at(each.at + ahead_[static_cast<std::size_t>(rank)]), numbers[each.from][each.number]);
    }
  EXPECT_EQ(arrows, messages.size());
}

}  // namespace
}  // namespace heddle::report::late_ranks_test
