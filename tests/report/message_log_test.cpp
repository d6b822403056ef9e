// The log of messages. Numbers stand for handles, so no MPI is needed.
#include "report/message_log.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "no_meanings.hpp"

namespace heddle::report::message_log_test {
namespace {

/// A status is a pair of source and tag.
struct Numbers : NoMeanings {
  static constexpr int cancelled = -7;  // as a tag
  std::pair<int, int> status_at(const void* statuses, int i) const noexcept override {
    return static_cast<const std::pair<int, int>*>(statuses)[i];
  }
  bool is_cancelled(const void* statuses, int i) const noexcept override { return status_at(statuses, i).second == cancelled; }
};

using Status = std::pair<int, int>;
using Requests = std::vector<std::uint64_t>;

class MessageLogs : public testing::Test {
 protected:
  /// The call at the next moment.
  void call(const Ends& ends, bool later = false, bool done = true) {
    Called called{.later = later};
    called.ends = ends;
    const double begin = time_ += 10;
    log_.add(called, &partners_, 77,
             {.site = &site_, .begin = begin, .end = begin + 5, .call = 0, .thread = 3, .others = false}, done);
  }

  Numbers numbers_;
  MessageLog log_{numbers_, 100};
  CallSite site_{CallSite::Name{.procedure = "MPI_Wait", .place = {}, .datatype = {}, .communicator = {}}};
  Partners partners_{.me = 0, .world = {10, 11, 12}, .identity = 5};
  double time_ = 0;
};

TEST_F(MessageLogs, ABlockingCallBeginsAndWaits) {
  call({.destination = 2, .tag = 4});
  ASSERT_EQ(log_.sends().size(), 1U);
  const MessageEnd& end = log_.sends()[0];
  EXPECT_EQ(end.peer, 12) << "a rank of MPI_COMM_WORLD";
  EXPECT_EQ(end.tag, 4);
  EXPECT_EQ(end.communicator, 77U);
  EXPECT_EQ(end.begun, 10);
  EXPECT_EQ(end.waited.site, &site_);
  EXPECT_EQ(end.waited.end, 15);
}

TEST_F(MessageLogs, ARequestWaitsInTheCallThatCompletesIt) {
  const Requests first = {1}, second = {2};
  const Requests both = {1, 2};
  call({.source = 1, .source_tag = 3, .begun = first.data()});
  call({.destination = 1, .tag = 3, .begun = second.data()});
  EXPECT_EQ(log_.receives()[0].waited.site, nullptr);
  call({.completes = Completes::all, .completed = both.data(), .requests = 2});
  EXPECT_EQ(log_.receives()[0].begun, 10);
  EXPECT_EQ(log_.receives()[0].waited.begin, 30);
  EXPECT_EQ(log_.sends()[0].waited.begin, 30);
  EXPECT_EQ(log_.receives()[0].waited.call, log_.sends()[0].waited.call);
}

TEST_F(MessageLogs, TestsAndAnyAndSome) {
  const Requests handles = {1, 2, 3};
  for (int i = 0; i < 3; ++i) call({.source = 1, .source_tag = i, .begun = &handles[static_cast<std::size_t>(i)]});
  int flag = 0, index = 1, how_many = 1;
  const std::array<int, 1> indices = {2};
  call({.completes = Completes::any, .completed = handles.data(), .requests = 3, .flag = &flag, .index = &index});
  EXPECT_EQ(log_.receives()[1].waited.site, nullptr) << "the flag is false";
  flag = 1;
  call({.completes = Completes::any, .completed = handles.data(), .requests = 3, .flag = &flag, .index = &index});
  EXPECT_NE(log_.receives()[1].waited.site, nullptr);
  call({.completes = Completes::some,
        .completed = handles.data(),
        .requests = 3,
        .indices = indices.data(),
        .how_many = &how_many});
  EXPECT_NE(log_.receives()[2].waited.site, nullptr);
  how_many = -32766;  // MPI_UNDEFINED
  call({.completes = Completes::some,
        .completed = handles.data(),
        .requests = 3,
        .indices = indices.data(),
        .how_many = &how_many});
  EXPECT_EQ(log_.receives()[0].waited.site, nullptr);
}

TEST_F(MessageLogs, AWildcardIsKnownByItsStatus) {
  const Requests request = {1};
  const Status status = {2, 9};
  EXPECT_FALSE(log_.needs_statuses());
  call({.source = Ends::any, .source_tag = Ends::any, .begun = request.data()});
  EXPECT_TRUE(log_.needs_statuses());
  call({.completes = Completes::one, .completed = request.data(), .statuses = &status});
  EXPECT_FALSE(log_.needs_statuses());
  EXPECT_EQ(log_.receives()[0].peer, 12);
  EXPECT_EQ(log_.receives()[0].tag, 9);
}

TEST_F(MessageLogs, WithoutAStatusTheOrderIsLost) {
  call({.source = 1, .source_tag = 0});
  call({.source = 1, .source_tag = Ends::any});
  call({.source = 1, .source_tag = 0});
  EXPECT_EQ(log_.receives().size(), 1U);
  EXPECT_EQ(log_.missing(), 2U);
  call({.destination = 1});
  EXPECT_EQ(log_.sends().size(), 1U) << "sends keep theirs";
}

TEST_F(MessageLogs, APersistentRequestHasAMessageForEachStart) {
  const Requests request = {8};
  call({.destination = 1, .tag = 2, .begun = request.data()}, true);
  EXPECT_TRUE(log_.sends().empty());
  for (int i = 0; i < 3; ++i) {
    call({.started = request.data()});
    call({.completes = Completes::one, .completed = request.data()});
  }
  ASSERT_EQ(log_.sends().size(), 3U);
  EXPECT_GT(log_.sends()[2].waited.begin, log_.sends()[2].begun);
  call({.completes = Completes::freed, .completed = request.data()});
  call({.started = request.data()});
  EXPECT_EQ(log_.sends().size(), 3U);
}

TEST_F(MessageLogs, FreedRequests) {
  const Requests send = {1}, receive = {2}, wild = {3};
  call({.destination = 1, .begun = send.data()});
  call({.completes = Completes::freed, .completed = send.data()});
  call({.destination = 1});
  EXPECT_EQ(log_.sends().size(), 2U) << "a freed send is sent";
  call({.source = 1, .begun = receive.data()});
  call({.completes = Completes::freed, .completed = receive.data()});
  call({.source = Ends::any, .begun = wild.data()});
  call({.source = 1});
  EXPECT_EQ(log_.receives().size(), 3U);
  call({.completes = Completes::freed, .completed = wild.data()});
  EXPECT_EQ(log_.receives().size(), 1U) << "nobody knows which message it has got";
  EXPECT_FALSE(log_.needs_statuses());
}

TEST_F(MessageLogs, ACancelledMessageMatchesNothing) {
  const Requests first = {1}, second = {2};
  const Status cancelled = {0, Numbers::cancelled}, came = {1, 0};
  call({.source = 1, .begun = first.data()});
  call({.source = 1, .begun = second.data()});
  call({.source = 1});
  for (const auto& request : {first, second}) call({.completes = Completes::cancelled, .completed = request.data()});
  EXPECT_TRUE(log_.needs_statuses());
  call({.completes = Completes::one, .completed = first.data(), .statuses = &cancelled});
  call({.completes = Completes::one, .completed = second.data(), .statuses = &came});
  EXPECT_FALSE(log_.needs_statuses());
  ASSERT_EQ(log_.receives().size(), 3U);
  EXPECT_LT(log_.receives()[0].peer, 0);
  EXPECT_EQ(log_.receives()[1].peer, 11) << "it came before it could be cancelled";
  const Requests third = {3};
  call({.source = 1, .begun = third.data()});
  call({.completes = Completes::cancelled, .completed = third.data()});
  call({.completes = Completes::freed, .completed = third.data()});
  call({.source = 1});
  EXPECT_EQ(log_.receives().size(), 3U) << "nobody knows whether it was cancelled";
}

TEST_F(MessageLogs, AnotherThreadMayHaveTheSameRequestAgain) {
  const Requests request = {5};
  const Status first = {1, 1}, second = {2, 2};
  const auto wait = [&](const Status& status, const std::uint64_t& number) {
    call({.completes = Completes::one, .completed = request.data(), .numbers = &number, .statuses = &status});
  };
  const auto number = [&] {  // as a call begins to wait
    std::uint64_t found = 0;
    log_.number({.completes = Completes::one, .completed = request.data()}, &found);
    return found;
  };
  call({.source = Ends::any, .source_tag = Ends::any, .begun = request.data()});
  const std::uint64_t mine = number();
  call({.source = Ends::any, .source_tag = Ends::any, .begun = request.data()});
  const std::uint64_t theirs = number();
  wait(second, theirs);  // before the first wait is recorded
  wait(first, mine);
  wait(first, mine);
  ASSERT_EQ(log_.receives().size(), 2U);
  EXPECT_EQ(log_.receives()[0].peer, 11);
  EXPECT_EQ(log_.receives()[1].peer, 12);
  EXPECT_FALSE(log_.needs_statuses());
}

TEST_F(MessageLogs, ACallMayWaitForMoreThanMessages) {
  const Requests send = {1}, both = {1, 99}, with_null = {1, 0};
  call({.destination = 1, .begun = send.data()});
  call({.completes = Completes::all, .completed = both.data(), .requests = 2});
  EXPECT_TRUE(log_.sends()[0].waited.others);
  call({.destination = 1, .begun = send.data()});
  call({.completes = Completes::all, .completed = with_null.data(), .requests = 2});
  EXPECT_FALSE(log_.sends()[1].waited.others);
}

TEST_F(MessageLogs, AFailedCallEndsTheLog) {
  call({.destination = 1});
  call({.destination = 1}, false, false);
  call({.destination = 1});
  call({.source = 1});
  EXPECT_EQ(log_.sends().size(), 1U);
  EXPECT_TRUE(log_.receives().empty());
}

TEST_F(MessageLogs, ARankWaitsInTheProbe) {
  const Status status = {1, 7};
  call({.source = Ends::any, .source_tag = 7, .probes = true, .statuses = &status});
  call({.source = 2, .source_tag = 7});
  call({.source = 1, .source_tag = 7});
  call({.source = 1, .source_tag = 7});
  ASSERT_EQ(log_.receives().size(), 3U);
  EXPECT_EQ(log_.receives()[0].waited.begin, 20);
  EXPECT_EQ(log_.receives()[1].waited.begin, 10) << "the probe";
  EXPECT_EQ(log_.receives()[2].waited.begin, 40);
}

TEST_F(MessageLogs, NobodyIsNoEnd) {
  call({.destination = Ends::nobody, .source = Ends::nobody, .statuses = &time_});
  call({.destination = 3});  // not in MPI_COMM_WORLD, or no rank at all
  EXPECT_TRUE(log_.sends().empty());
  EXPECT_TRUE(log_.receives().empty());
}

TEST_F(MessageLogs, CollectivesCountPerCommunicator) {
  for (int i = 0; i < 3; ++i) call({.meets = Meets::all});
  ASSERT_EQ(log_.arrivals().size(), 3U);
  EXPECT_EQ(log_.arrivals()[2].number, 2U);
  partners_.inter = true;
  call({.meets = Meets::all});
  EXPECT_EQ(log_.arrivals().size(), 3U);
}

TEST_F(MessageLogs, LaterMessagesAreCounted) {
  for (int i = 0; i < 130; ++i) call({.destination = 1});
  EXPECT_EQ(log_.sends().size(), 100U);
  EXPECT_EQ(log_.missing(), 30U);
}

TEST_F(MessageLogs, CommunicatorsOfTheSameRanksAreToldApart) {
  const std::uint64_t world = log_.communicator(1, partners_);
  log_.made(2, partners_);
  log_.made(3, partners_);
  EXPECT_EQ(log_.communicator(1, partners_), world);
  EXPECT_NE(log_.communicator(2, partners_), world);
  EXPECT_NE(log_.communicator(2, partners_), log_.communicator(3, partners_));
  MessageLog other(numbers_, 10);  // another rank has other handles
  other.made(9, partners_);
  EXPECT_EQ(other.communicator(9, partners_), log_.communicator(2, partners_));
}

}  // namespace
}  // namespace heddle::report::message_log_test
