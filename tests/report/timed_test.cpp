// A procedure with an observer. Numbers stand for handles, so no MPI is needed.
#include "report/timed.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace heddle::report::timed_test {
namespace {

using Type = int;
using Comm = const char*;
constexpr char none[] = "none";
char place = 0;

struct Constants {
  static Type no_type() { return -7; }
  static Comm no_communicator() { return none; }
  static const int* no_window() { return nullptr; }
  static const void* in_place() { return &place; }
  static constexpr int root = -3;
  static constexpr int nobody = -2;
  static constexpr int success = 0;
  static constexpr int any_source = -1;
  static constexpr int any_tag = -4;
  static bool is_ignored(const int* status) { return status == nullptr; }
};

class Onlooker final : public Observer {
 public:
  Onlooker() { observer = this; }
  ~Onlooker() { observer = nullptr; }
  Mark begins(const Called& called) noexcept override {
    begun.push_back(called);
    return {this, {}, 0};
  }
  void ends(const Called& called, const Mark& mark, bool done) noexcept override {
    EXPECT_EQ(called.procedure, begun.back().procedure);
    EXPECT_EQ(mark.met, this);
    ended.push_back(done);
  }
  bool follows_messages() const noexcept override { return follows; }
  bool needs_statuses() const noexcept override { return needs; }
  const Called& last() { return begun.back(); }

  bool follows = false;
  bool needs = false;

  std::vector<Called> begun;
  std::vector<bool> ended;
};

int result = 0;

int send(const void* /*buffer*/, int /*count*/, Type /*type*/, int /*to*/, Comm /*comm*/) { return result; }
using Send = Timed<Constants, &send, 17, Positions{.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 4}>;

TEST(Timed, NobodyLooksOn) {
  result = 5;
  EXPECT_EQ(Send::call(nullptr, 1, 2, 3, "world"), 5);
}

TEST(Timed, AMessageIsTold) {
  Onlooker onlooker;
  result = 0;
  EXPECT_EQ(Send::call(nullptr, 4, 9, 2, "world"), 0);
  EXPECT_EQ(onlooker.last().procedure, 17);
  EXPECT_NE(onlooker.last().from, nullptr);
  EXPECT_TRUE(onlooker.last().typed);
  EXPECT_EQ(onlooker.last().type, 9U);
  EXPECT_NE(onlooker.last().communicator, 0U);
  EXPECT_EQ(onlooker.last().count, 4);
  EXPECT_EQ(onlooker.last().peer, 2);
  EXPECT_FALSE(onlooker.last().in_place);
  EXPECT_EQ(onlooker.ended, std::vector<bool>{true});
}

TEST(Timed, WhatStandsForNoneIsZeroOrNobody) {
  Onlooker onlooker;
  result = 3;
  Send::call(&place, 4, Constants::no_type(), -1, Constants::no_communicator());
  EXPECT_TRUE(onlooker.last().in_place);
  EXPECT_EQ(onlooker.last().type, 0U);
  EXPECT_EQ(onlooker.last().communicator, 0U);
  EXPECT_EQ(onlooker.last().peer, Called::nobody);
  EXPECT_EQ(onlooker.ended, std::vector<bool>{false});  // the call failed
}

int swap_both(int /*to*/, int /*from*/) { return 0; }
int swap_two(Type /*sent*/, int /*to*/, Type /*received*/, int /*from*/) { return 0; }
int receive(int /*from*/) { return 0; }

TEST(Timed, ACallWithoutAPartnerIsTold) {
  Onlooker onlooker;
  using Replace = Timed<Constants, &swap_both, 1, Positions{.peer = 0, .source = 1}>;
  using Swap = Timed<Constants, &swap_two, 1, Positions{.type = 0, .peer = 1, .source = 3, .received = {.type = 2}}>;
  using Receive = Timed<Constants, &receive, 1, Positions{.source = 0}>;
  constexpr int nobody = Constants::nobody;
  const auto told = [&] { return std::pair(onlooker.last().no_partner, onlooker.last().no_source); };
  Send::call(nullptr, 1, 2, nobody, "world");
  EXPECT_TRUE(told().first);
  Send::call(nullptr, 1, 2, 0, "world");
  EXPECT_FALSE(told().first);
  Receive::call(nobody);
  EXPECT_EQ(told(), std::pair(true, true));
  Receive::call(-1);  // any source
  EXPECT_EQ(told(), std::pair(false, false));
  Replace::call(nobody, 0);
  EXPECT_EQ(told(), std::pair(false, false)) << "the datatype is used for the received data";
  Replace::call(nobody, nobody);
  EXPECT_EQ(told(), std::pair(true, true));
  Swap::call(1, 0, 2, nobody);
  EXPECT_EQ(told(), std::pair(false, true));
  Swap::call(1, nobody, 2, 0);
  EXPECT_EQ(told(), std::pair(true, false));
}

int gather(const int* /*counts*/, Type /*type*/, const long* /*counts*/, const Type* /*types*/, int /*root*/) {
  throw std::runtime_error("an error handler of the program");
}
using Gather =
    Timed<Constants, &gather, 2,
          Positions{
              .root = 4, .pattern = Pattern::gather, .sent = {.counts = 0, .type = 1}, .received = {.counts = 2, .types = 3}}>;

TEST(Timed, BothSidesOfACollectiveAreToldThoughItThrows) {
  Onlooker onlooker;
  const int counts[] = {1};
  const long wide[] = {1};
  const Type types[] = {1};
  EXPECT_THROW(Gather::call(counts, 8, wide, types, Constants::root), std::runtime_error);
  const Called& told = onlooker.last();
  EXPECT_EQ(told.pattern, Pattern::gather);
  EXPECT_EQ(told.root, Called::itself);
  EXPECT_FALSE(told.typed);
  EXPECT_EQ(told.sent.counts, counts);
  EXPECT_EQ(told.sent.type, 8U);
  EXPECT_EQ(told.received.counts, nullptr);
  EXPECT_EQ(told.received.wide_counts, wide);
  EXPECT_EQ(told.received.types, types);
  EXPECT_EQ(onlooker.ended, std::vector<bool>{false});
}

int start(int /*count*/, int* /*requests*/) { return result; }

TEST(Timed, RequestsThatAreStartedAreTold) {
  Onlooker onlooker;
  int requests[] = {1, 2};
  result = 0;
  Timed<Constants, &start, 3, Positions{.count = 0, .request = 1}>::call(2, requests);
  EXPECT_EQ(onlooker.last().count, 2);
  EXPECT_EQ(onlooker.last().requests, requests);
  EXPECT_EQ(onlooker.last().peer, Called::nobody);
}

int fence(int /*assertion*/, const int* /*window*/) { return result; }

TEST(Timed, AProcedureThatStaysTheHostsIsToldWithItsWindow) {
  using Fence = OfHost<Constants, int(int, const int*), 4, Positions{.window = 1}>;
  Fence::host = reinterpret_cast<void*>(&fence);
  const int window = 0;
  result = 6;
  EXPECT_EQ(Fence::call(0, &window), 6);
  Onlooker onlooker;
  EXPECT_EQ(Fence::call(0, &window), 6);
  EXPECT_EQ(onlooker.last().procedure, 4);
  EXPECT_NE(onlooker.last().from, nullptr);
  EXPECT_FALSE(onlooker.last().carriable);
  EXPECT_TRUE(onlooker.last().windowed);
  EXPECT_NE(onlooker.last().communicator, 0U);
  EXPECT_EQ(onlooker.ended, std::vector<bool>{false});
}

int receive_any(int /*source*/, int /*tag*/, int* status) {
  if (status) *status = 42;
  return result;
}
using ReceiveAny = Timed<Constants, &receive_any, 1, Positions{.ends = {.source = 0, .source_tag = 1, .statuses = 2}}>;

TEST(Timed, AWildcardGetsAStatus) {
  Onlooker onlooker;
  result = 0;
  ReceiveAny::call(Constants::any_source, 3, nullptr);
  EXPECT_EQ(onlooker.last().ends.source, Ends::nobody) << "nobody follows messages";
  onlooker.follows = true;
  ReceiveAny::call(Constants::any_source, 3, nullptr);
  EXPECT_EQ(onlooker.last().ends.source, Ends::any);
  EXPECT_EQ(onlooker.last().ends.source_tag, 3);
  EXPECT_NE(onlooker.last().ends.statuses, nullptr);
  ReceiveAny::call(2, Constants::any_tag, nullptr);
  EXPECT_EQ(onlooker.last().ends.source, 2);
  EXPECT_EQ(onlooker.last().ends.source_tag, Ends::any);
  EXPECT_NE(onlooker.last().ends.statuses, nullptr);
  ReceiveAny::call(2, 3, nullptr);
  EXPECT_EQ(onlooker.last().ends.statuses, nullptr) << "the status stays ignored";
  ReceiveAny::call(Constants::nobody, 3, nullptr);
  EXPECT_EQ(onlooker.last().ends.source, Ends::nobody);
  int status = 0;
  ReceiveAny::call(2, 3, &status);
  EXPECT_EQ(onlooker.last().ends.statuses, &status);
  EXPECT_EQ(status, 42);
}

int wait_all(int count, int* requests, int* statuses) {
  for (int i = 0; i < count; ++i) {
    requests[i] = -1;
    if (statuses) statuses[i] = i;
  }
  return result;
}
using WaitAll = Timed<Constants, &wait_all, 1,
                      Positions{.ends = {.completed = 1, .requests = 0, .statuses = 2, .completes = Completes::all}}>;

TEST(Timed, RequestsAreThoseBeforeTheCall) {
  struct Reader final : Observer {
    Mark begins(const Called&) noexcept override { return {this, {}, 0}; }
    void ends(const Called& called, const Mark&, bool) noexcept override {
      for (std::int64_t i = 0; i < called.ends.requests; ++i) {
        requests.push_back(static_cast<const int*>(called.ends.completed)[i]);
        statuses.push_back(static_cast<const int*>(called.ends.statuses)[i]);
      }
    }
    bool follows_messages() const noexcept override { return true; }
    bool needs_statuses() const noexcept override { return true; }
    std::vector<int> requests, statuses;
  };
  for (const int count : {1, 8, 9, 100}) {  // some need memory of the heap
    Reader reader;
    observer = &reader;
    std::vector<int> requests(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) requests[static_cast<std::size_t>(i)] = 1000 + i;
    const std::vector<int> before = requests;
    WaitAll::call(count, requests.data(), nullptr);
    observer = nullptr;
    EXPECT_EQ(reader.requests, before);
    EXPECT_EQ(requests, std::vector<int>(before.size(), -1));
    EXPECT_EQ(reader.statuses.back(), count - 1);
  }
  Onlooker onlooker;
  onlooker.follows = true;
  WaitAll::call(0, nullptr, nullptr);
  EXPECT_EQ(onlooker.last().ends.completes, Completes::none);
}

}  // namespace
}  // namespace heddle::report::timed_test
