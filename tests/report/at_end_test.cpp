// The ranks' records become the files of a job. Files that cannot be written are named on stderr.
#include "report/at_end.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace heddle::report::at_end_test {
namespace {

using nlohmann::json;

class AtEnd : public testing::Test {
 protected:
  AtEnd() { std::filesystem::create_directories(folder_); }
  ~AtEnd() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] static json read(const std::string& path) { return json::parse(std::ifstream(path)); }
  /// Ends a job of `ranks` ranks. Returns the text on stderr.
  [[nodiscard]] std::string end(const Files& files, int ranks) const {
    testing::internal::CaptureStderr();
    Merging all(files, ranks);
    for (int rank = 0; rank < ranks; ++rank) {
      Report report;
      report.add("send", layout::basic(4), "direct", 100, {});
      const Trace trace(4);
      all.add(rank, told(report, {.trace = files.trace.empty() ? nullptr : &trace}, files, rank));
    }
    all.write([] { return std::string(R"({"mpi": "some"})"); });
    return testing::internal::GetCapturedStderr();
  }
  /// The ranks of a timeline, in the order of their name events.
  [[nodiscard]] static std::vector<int> ranks_of(const json& timeline) {
    std::vector<int> ranks;
    for (const json& event : timeline["traceEvents"])
      if (event["name"] == "process_name") ranks.push_back(event["pid"]);
    return ranks;
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("heddle-at-end-" + std::to_string(getpid()));
};

TEST_F(AtEnd, OneReportIsOfAllRanks) {
  EXPECT_EQ(end({.report = path("r.json"), .trace = ""}, 3), "");
  const json report = read(path("r.json"));
  ASSERT_EQ(report["rows"].size(), 1U);
  EXPECT_EQ(report["rows"][0]["calls"], 3);
  EXPECT_FALSE(std::filesystem::exists(path("t.json")));
}

TEST_F(AtEnd, OneTimelineIsOfAllRanksInTheirOrder) {
  EXPECT_EQ(end({.report = "", .trace = path("t.json")}, 3), "");
  EXPECT_EQ(ranks_of(read(path("t.json"))), (std::vector<int>{0, 1, 2}));
}

TEST_F(AtEnd, ATimelineWhoseNameSaysTheRankIsItsOwn) {
  EXPECT_EQ(end({.report = path("r.json"), .trace = path("t%r.json")}, 2), "");
  EXPECT_EQ(ranks_of(read(path("t0.json"))), std::vector<int>{0});
  EXPECT_EQ(ranks_of(read(path("t1.json"))), std::vector<int>{1});
  EXPECT_EQ(read(path("r.json"))["rows"][0]["calls"], 2);
}

TEST_F(AtEnd, TheReportsNameSaysWhoWroteIt) {
  EXPECT_EQ(end({.report = path("%p-%r.json"), .trace = ""}, 2), "");
  EXPECT_TRUE(std::filesystem::exists(path(std::to_string(getpid()) + "-0.json")));
}

TEST_F(AtEnd, WhatCannotBeWrittenIsSaid) {
  EXPECT_EQ(end({.report = "/no/such/r.json", .trace = "/no/such/t.json"}, 2),
            "heddle: cannot write /no/such/t.json (No such file or directory); the trace is lost. HEDDLE_TRACE names another "
            "place.\n"
            "heddle: cannot write /no/such/r.json (No such file or directory); the report is lost. HEDDLE_REPORT or heddle "
            "run --report=FILE names another place.\n");
}

TEST_F(AtEnd, ARankThatCouldTellNothingIsLeftOut) {
  const std::string names[] = {path("r.json"), path("t.json")};
  const Files files{.report = names[0], .trace = names[1]};
  Merging all(files, 2);
  Report report;
  report.add("send", layout::basic(4), "direct", 100, {});
  const Trace trace(4);
  all.add(0, told(report, {.trace = &trace}, files, 0));
  all.add(1, {});
  all.write([] { return std::string(); });
  EXPECT_EQ(read(path("r.json"))["rows"][0]["calls"], 1);
  EXPECT_EQ(ranks_of(read(path("t.json"))), std::vector<int>{0});
}

}  // namespace
}  // namespace heddle::report::at_end_test
