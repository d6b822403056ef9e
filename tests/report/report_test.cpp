// Counters add up, over calls, threads and ranks.
#include "report/report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

namespace heddle::report {
namespace {

using nlohmann::json;
using namespace layout;

const Layout column = vector(128, 8, 4096, basic(4));

TEST(Report, CallsOfOneKindAreOneRow) {
  Report report;
  const Layout same =
      subarray(std::vector<Count>{128, 4096}, std::vector<Count>{128, 8}, std::vector<Count>{0, 0}, Order::c, basic(4));
  report.add("send", column, "bc-spup", 4096, {.search = 1000, .pack = 2000, .wait = 0, .copy = 0});
  report.add("send", same, "bc-spup", 4096, {.search = 0, .pack = 500, .wait = 250, .copy = 0});
  report.add("receive", column, "bc-spup", 4096, {});
  report.add("send", column, "direct", 4096, {});
  const json rows = json::parse(report.to_json())["rows"];
  ASSERT_EQ(rows.size(), 3u);
  const auto of = [&rows](const char* call, const char* way) {
    for (const json& row : rows)
      if (row["call"] == call && row["way"] == way) return row;
    return json();
  };
  const json row = of("send", "bc-spup");
  EXPECT_EQ(row["datatype"], "loop 128 × 16384 B { block 32 }");
  EXPECT_EQ(row["calls"], 2);
  EXPECT_EQ(row["bytes"], 8192);
  EXPECT_EQ(row["search_us"], 1.0);
  EXPECT_EQ(row["pack_us"], 2.5);
  EXPECT_EQ(row["wait_us"], 0.25);
  EXPECT_EQ(of("receive", "bc-spup")["calls"], 1);
}

TEST(Report, RanksAreAddedUpAndNonsenseIsLeftOut) {
  Report one, two;
  one.add("send", column, "bc-spup", 100, {.search = 0, .pack = 1000, .wait = 0, .copy = 0});
  two.add("send", column, "bc-spup", 200, {.search = 0, .pack = 3000, .wait = 0, .copy = 0});
  two.add("receive", column, "packed", 300, {});
  const std::vector<std::string> texts = {
      one.to_json(), two.to_json(), "", "{", "[]", R"({"rows": 3})", R"({"rows": [3, {"call": 1}]})"};
  const json all = json::parse(merge(texts));
  EXPECT_EQ(all["heddle_report"], 1);
  EXPECT_EQ(all["ranks"], 3);
  ASSERT_EQ(all["rows"].size(), 2u);
  const json& sent = all["rows"][1];
  EXPECT_EQ(sent["ranks"], 2);
  EXPECT_EQ(sent["calls"], 2);
  EXPECT_EQ(sent["bytes"], 300);
  EXPECT_EQ(sent["pack_us"], 4.0);
  const std::vector<std::string> again = {merge(texts), one.to_json()};
  EXPECT_EQ(json::parse(merge(again))["rows"].size(), 2u);
}

TEST(Report, AnyNumberOfDatatypesFitsIntoSomeRows) {
  Report report;
  for (Count i = 0; i < 3000; ++i) report.add("send", vector(2, 1, 3 + i, basic(4)), "packed", 8, {});
  const json rows = json::parse(report.to_json())["rows"];
  EXPECT_EQ(rows.size(), Report::most_rows + 1);
  std::int64_t calls = 0;
  for (const json& row : rows) calls += row["calls"].get<std::int64_t>();
  EXPECT_EQ(calls, 3000);
}

TEST(Report, CommunicatorsOfOneKindAreCounted) {
  Report one, two;
  for (int i = 0; i < 3; ++i) one.add_communicator("MPI_Cart_sub", "stride", 300, 12, 56);
  one.add_communicator("MPI_Comm_dup", "stride", 300, 0, 0);
  two.add_communicator("MPI_Cart_sub", "stride", 300, 12, 56);
  two.add_communicator("MPI_Cart_sub", "stride", 299, 12, 56);
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "communicators": [3, {"call": 1}]})",
                                          R"({"rows": [], "communicators": 3})"};
  const json found = json::parse(merge(texts))["communicators"];
  ASSERT_EQ(found.size(), 3u);
  json wanted = {{"call", "MPI_Cart_sub"}, {"kept", "stride"},       {"size", 300}, {"members_bytes", 12}, {"whole_bytes", 56},
                 {"list_bytes", 1200},     {"pointers_bytes", 2400}, {"count", 4}};
  EXPECT_EQ(found[1], wanted);
  EXPECT_EQ(found[2]["count"], 1);
  EXPECT_EQ(found[2]["members_bytes"], 0);
}

TEST(Report, ProceduresAreAddedUpAndTheLongestRankCounts) {
  Spent send, receive;
  send.calls = 3;
  send.ns = 4500;
  receive.calls = 1;
  receive.ns = 1000;
  Report one, two;
  one.add_procedure("MPI_Send", send);
  one.end(7000, false);
  two.add_procedure("MPI_Send", send);
  two.add_procedure("MPI_Recv", receive);
  two.end(9000, false);
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "procedures": [3, {"name": 1}]})",
                                          R"({"rows": [], "procedures": 3, "elapsed_us": "x", "heddle": 3})"};
  const json all = json::parse(merge(texts));
  EXPECT_EQ(all["elapsed_us"], 9.0);
  EXPECT_EQ(all["heddle"], "off");
  ASSERT_EQ(all["procedures"].size(), 2u);
  const json wanted = {{"name", "MPI_Send"}, {"ranks", 2}, {"calls", 6}, {"us", 9.0}};
  EXPECT_EQ(all["procedures"][1], wanted);
  Report on;
  const std::vector<std::string> mixed = {on.to_json(), two.to_json()};
  EXPECT_EQ(json::parse(merge(mixed))["heddle"], "on");
}

TEST(Report, BlocksThatGoByMailboxesAreCountedApart) {
  Report one, two;
  EXPECT_EQ(json::parse(one.to_json())["mailboxes"], json::array());
  for (int i = 0; i < 3; ++i) one.add_mailed(Mailed::blocking, 100);
  one.add_mailed(Mailed::retracted_by_sender, 7);
  two.add_mailed(Mailed::blocking, 50);
  two.add_mailed(Mailed::persistent, 8);
  two.add_mailed(Mailed::retracted_by_reader, 9);
  const std::vector<std::string> texts = {one.to_json(), two.to_json(), R"({"rows": [], "mailboxes": [3, {"name": 1}]})",
                                          R"({"rows": [], "mailboxes": 3})"};
  const json wanted = {{{"name", "blocking"}, {"ranks", 2}, {"blocks", 4}, {"bytes", 350}},
                       {{"name", "persistent"}, {"ranks", 1}, {"blocks", 1}, {"bytes", 8}},
                       {{"name", "retracted by reader"}, {"ranks", 1}, {"blocks", 1}, {"bytes", 9}},
                       {{"name", "retracted by sender"}, {"ranks", 1}, {"blocks", 1}, {"bytes", 7}}};
  EXPECT_EQ(json::parse(merge(texts))["mailboxes"], wanted);
}

TEST(Report, LongDescriptionsAreCut) {
  std::vector<Count> lengths, places;
  for (Count i = 0; i < 500; ++i) {
    lengths.push_back(1 + i % 7);
    places.push_back(i * i + 10 * i);
  }
  Report report;
  report.add("send", structure(lengths, places, std::vector<Layout>(500, vector(2, 1, 5, basic(1)))), "packed", 1, {});
  EXPECT_LT(json::parse(report.to_json())["rows"][0]["datatype"].get<std::string>().size(), 200u);
}

TEST(Report, CountsFromSeveralThreads) {
  Report report;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&report] {
      for (int i = 0; i < 1000; ++i) report.add("send", column, "bc-spup", 1, {});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(json::parse(report.to_json())["rows"][0]["calls"], 4000);
}

TEST(Report, AFileIsWrittenWholeOrNotAtAll) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("heddle-report-" + std::to_string(getpid()));
  EXPECT_EQ(write(path, "text"), "");
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "text");
  std::filesystem::remove(path);
  EXPECT_EQ(write("/no/such/folder/r.json", "text"), "cannot write /no/such/folder/r.json (No such file or directory)");
}

TEST(Stopwatch, RunsOnlyForWhoWantsToKnow) {
  Times times;
  { const Stopwatch watch(&times, &Times::pack); }
  EXPECT_GT(times.pack, 0);
  EXPECT_EQ(times.wait, 0);
  { const Stopwatch watch(nullptr, &Times::pack); }
}

}  // namespace
}  // namespace heddle::report
