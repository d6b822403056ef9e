// Calls as an observer records them. Numbers stand for handles, so no MPI is needed.
#include "report/observed.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "report/explained.hpp"

namespace heddle::report::observed_test {
namespace {

/// The number of a type is its size.
class Numbers : public Meanings {
 public:
  const char* procedure(int number) const noexcept override { return number == 0 ? "MPI_Send" : "MPI_Alltoallw"; }
  bool is_datatype(std::uint64_t type) const noexcept override { return type != 0; }
  bool is_derived(std::uint64_t type) const noexcept override { return type >= 100; }
  std::string datatype(std::uint64_t type) const override { return type > 200 ? "" : "type" + std::to_string(type); }
  Described layout(std::uint64_t type) const override { return described(layout::basic(static_cast<std::int64_t>(type))); }
  std::string communicator(std::uint64_t comm) const override { return "comm" + std::to_string(comm); }
  std::string window(std::uint64_t window) const override { return "window" + std::to_string(window); }
  std::int64_t size_of(std::uint64_t type) const noexcept override { return static_cast<std::int64_t>(type); }
  Partners partners(std::uint64_t) const override { return {.me = 1, .world = {0, 1, 2}}; }
  std::pair<int, int> blocks_of(const Called&) const override { return {3, 2}; }
  Passed why(const Called&, bool) const noexcept override { return Passed::no_holes; }
  std::uint64_t type_at(const void* types, int i) const noexcept override {
    return static_cast<const std::uint64_t*>(types)[i];
  }
  std::uint64_t request_at(const void* requests, int i) const noexcept override { return type_at(requests, i); }
  std::int64_t count_at(const void* counts, int i) const noexcept override {
    return static_cast<const std::int64_t*>(counts)[i];
  }
  std::pair<int, int> status_at(const void* statuses, int i) const noexcept override {
    return static_cast<const std::pair<int, int>*>(statuses)[i];
  }
  bool is_cancelled(const void*, int) const noexcept override { return false; }
  std::uint64_t communicator_at(const void* made) const noexcept override { return *static_cast<const std::uint64_t*>(made); }
};

class Observing : public testing::Test {
 protected:
  Observing() { report_.of_rank(1, 3); }
  void call(const Called& called, bool done = true) { observed_.ends(called, observed_.begins(called), done); }
  /// The report's only call site.
  nlohmann::json site() { return nlohmann::json::parse(report_.to_json()).at("sites").at(0); }

  Report report_;
  Numbers numbers_;
  Observed observed_{report_, {}, numbers_};
};

TEST_F(Observing, AMessageIsItsCountTimesTheSizeOfItsType) {
  const Called send{.from = this, .typed = true, .type = 8, .communicator = 7, .count = 5, .peer = 2};
  call(send);
  call(send);
  call(send, false);  // refused: its arguments may be anything
  EXPECT_EQ(site().at("calls"), 3);
  EXPECT_EQ(site().at("bytes"), 80);
  EXPECT_EQ(site().at("datatype_name"), "type8");
  EXPECT_EQ(site().at("communicator"), "comm7");
}

TEST_F(Observing, BlocksHaveCountsAndTypesOfTheirOwn) {
  const std::vector<int> counts = {1, 2, 3};
  const std::vector<std::uint64_t> types = {8, 100, 4};
  Called call_{.procedure = 1, .from = this, .communicator = 7, .pattern = Pattern::alltoall};
  call_.sent = {.counts = counts.data(), .types = types.data()};
  call(call_);
  EXPECT_EQ(site().at("bytes"), 8 + 200 + 12);
  const std::vector<std::int64_t> wide = {10, 0, -1};
  call_.sent = {.wide_counts = wide.data(), .type = 4};
  call(call_);
  EXPECT_EQ(site().at("bytes"), 220 + 40);
}

TEST_F(Observing, InPlaceTheOtherSideCounts) {
  Called call_{.procedure = 1, .from = this, .communicator = 7, .pattern = Pattern::alltoall};
  call_.sent = {.in_place = true, .count = 9, .type = 9};
  call_.received = {.count = 2, .type = 4};
  call(call_);
  EXPECT_EQ(site().at("bytes"), 3 * 8);
}

TEST_F(Observing, APersistentRequestMovesWhenItIsStarted) {
  const std::vector<std::uint64_t> request = {42};
  call({.from = this,
        .typed = true,
        .type = 8,
        .communicator = 7,
        .count = 4,
        .peer = 0,
        .requests = request.data(),
        .later = true});
  EXPECT_EQ(site().at("bytes"), 0);
  call({.from = this, .typed = true, .type = 8, .communicator = 7, .count = 1, .requests = request.data()});
  EXPECT_EQ(site().at("bytes"), 32);
}

TEST_F(Observing, ACallWithoutAPartnerIsNoReasonToForgetTheNext) {
  MessageLog messages(numbers_, 10);
  Observed observed(report_, {.messages = &messages}, numbers_);
  Called send{.from = this, .typed = true, .type = 8, .communicator = 7, .count = 1};
  send.ends = {.of_messages = true};
  observed.ends(send, observed.begins(send), true);
  send.peer = send.ends.destination = 2;
  observed.ends(send, observed.begins(send), true);
  ASSERT_EQ(messages.sends().size(), 1U);
  EXPECT_EQ(messages.sends()[0].peer, 2);
}

TEST_F(Observing, ADatatypeWithoutANameHasItsLayout) {
  for (const std::uint64_t type : {300, 301}) call({.from = this, .typed = true, .type = type, .communicator = 7, .count = 1});
  call({.from = this, .typed = true, .type = 8, .communicator = 7, .count = 1});
  const auto sites = nlohmann::json::parse(report_.to_json()).at("sites");
  ASSERT_EQ(sites.size(), 3U) << "datatypes without a name are told apart";
  std::map<std::string, nlohmann::json> by_layout;
  for (const auto& each : sites) by_layout[each.value("datatype", "")] = each;
  ASSERT_TRUE(by_layout.contains("block 300") && by_layout.contains("block 301"));
  EXPECT_EQ(by_layout["block 300"].at("extent"), 300);
  EXPECT_EQ(by_layout["block 300"].at("lower_bound"), 0);
  EXPECT_NE(by_layout["block 300"].at("site_hash"), by_layout["block 301"].at("site_hash"));
  EXPECT_EQ(by_layout[""].at("datatype_name"), "type8");
  EXPECT_FALSE(by_layout[""].contains("site_hash"));
}

TEST_F(Observing, AWindowHasItsNameToo) {
  call({.from = this, .communicator = 7, .windowed = true});
  EXPECT_EQ(site().at("communicator"), "window7");
}

TEST_F(Observing, ACallWithinACallIsCountedOnceAndTimesAddUp) {
  const double begin = now();
  const Called outer{.procedure = 1, .from = this};
  const Called inner{.procedure = 0, .from = &report_};
  const Observer::Mark mark = observed_.begins(outer);
  for (int i = 0; i < 2; ++i) {
    const Observer::Mark within = observed_.begins(inner);
    for (const double start = now(); now() < start + 2e6;) continue;
    observed_.ends(inner, within, true);
  }
  observed_.ends(outer, mark, true);
  const double whole = now() - begin;
  const auto report = nlohmann::json::parse(report_.to_json());
  double ns = 0;
  for (const auto& each : report.at("sites")) ns += 1e3 * each.at("us").get<double>();
  EXPECT_EQ(report.at("sites").size(), 2U);
  EXPECT_LE(ns, whole);
  EXPECT_GE(ns, 4e6);
}

TEST_F(Observing, ThreadsThatCallAreCounted) {
  const auto one = [this] { call({.from = this}); };
  std::thread(one).join();
  std::thread([&one] { one(), one(); }).join();
  EXPECT_EQ(nlohmann::json::parse(report_.to_json()).at("by_rank").at(0).at("threads"), 2);
  EXPECT_EQ(site().at("calls"), 3);
}

class Explaining final : public Explained {
 public:
  using Explained::Explained;
  std::vector<std::string> told;

 private:
  void tell(std::uint64_t type, std::int64_t count, const Use& use) override {
    told.push_back(use.label + " x " + std::to_string(count) + " " + std::to_string(type));
    EXPECT_TRUE(use.from.starts_with("MPI_Alltoallw from ")) << use.from;
  }
};

TEST(Explained, AllTypesOfACallAreLookedAtOnce) {
  const Numbers numbers;
  Explaining all("all", numbers, nullptr);
  const std::vector<std::uint64_t> out = {100, 101, 102};
  const std::vector<std::uint64_t> in = {200, 0, 201};
  Called call{.procedure = 1, .from = &numbers, .communicator = 7, .pattern = Pattern::alltoall};
  call.sent.types = out.data();
  call.received.types = in.data();
  all.begins(call);
  all.begins(call);
  EXPECT_EQ(all.told, (std::vector<std::string>{"type100 x 1 100", "type101 x 1 101", "type102 x 1 102", "type200 x 1 200"}));
}

TEST(Explained, BlocksOfDifferentCountsAreShownByTheLongest) {
  const Numbers numbers;
  Explaining all("all", numbers, nullptr);
  const std::vector<int> out = {2, 7, 3};
  const std::vector<std::int64_t> in = {4, 5};
  Called call{.procedure = 1, .from = &numbers, .communicator = 7, .pattern = Pattern::alltoall};
  call.sent = {.counts = out.data(), .type = 8};
  call.received = {.wide_counts = in.data(), .type = 16};
  all.begins(call);
  EXPECT_EQ(all.told, (std::vector<std::string>{"type8 x 7 8", "type16 x 5 16"}));
}

TEST(Explained, CountsOfARankThatIsNotTheRootAreNotRead) {
  const Numbers numbers;
  Explaining all("all", numbers, nullptr);
  const auto* nowhere = reinterpret_cast<const int*>(8);  // NOLINT: an argument that MPI ignores may have any value
  Called call{.procedure = 1, .from = &numbers, .communicator = 7, .pattern = Pattern::gather};
  call.sent = {.count = 3, .type = 8};
  call.received = {.counts = nowhere, .type = 100};
  all.begins(call);
  EXPECT_EQ(all.told.front(), "type8 x 3 8");
}

TEST(Explained, WhatMeansSomethingAtTheRootAloneIsAskedNothingElse) {
  const Numbers numbers;
  Explaining all("all", numbers, nullptr);
  Called call{.procedure = 1, .from = &numbers, .communicator = 7, .pattern = Pattern::gather};
  call.sent = {.count = 3, .type = 8};
  call.received = {.count = 3, .type = 8};
  all.begins(call);
  EXPECT_EQ(all.told, std::vector<std::string>{"type8 x 3 8"});
  call.received.type = 100;
  all.begins(call);
  EXPECT_EQ(all.told.size(), 2U);
}

TEST(Explained, DataThatDoesNotMoveIsNotExplained) {
  const Numbers numbers;
  Explaining all("all", numbers, nullptr);
  Called send{.procedure = 1, .from = &numbers, .typed = true, .type = 8, .count = 0};
  all.begins(send);
  send.count = 3;
  send.no_partner = true;
  all.begins(send);
  Called both{.procedure = 1, .from = &numbers, .typed = true, .type = 8, .count = 2, .no_source = true};
  both.received = {.count = 5, .type = 9};
  both.sent = {.count = 0, .type = 16};
  EXPECT_TRUE(all.told.empty());
  all.begins(both);
  EXPECT_EQ(all.told, std::vector<std::string>{"type8 x 2 8"});
  const std::vector<std::uint64_t> types = {100, 101};
  const std::vector<int> counts = {0, 1};
  Called list{.procedure = 1, .from = &numbers, .communicator = 7, .pattern = Pattern::alltoall};
  list.received = {.counts = counts.data(), .types = types.data()};
  all.begins(list);
  EXPECT_EQ(all.told, (std::vector<std::string>{"type8 x 2 8", "type101 x 1 101"}));
  send.no_partner = false;
  send.type = 12;
  all.begins(send);
  EXPECT_EQ(all.told.back(), "type12 x 3 12");
}

TEST(Explained, NamesThatNothingHadAreTold) {
  const Numbers numbers;
  Explaining one("type9", numbers, nullptr);
  one.begins({.procedure = 1, .from = &numbers, .typed = true, .type = 8});
  EXPECT_TRUE(one.told.empty());
  EXPECT_NE(one.missing().find("type9"), std::string::npos);
}

}  // namespace
}  // namespace heddle::report::observed_test
