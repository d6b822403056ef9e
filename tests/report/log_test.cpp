// The lines of HEDDLE_LOG, and the calls for which they are printed.
#include "report/log.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/report.hpp"

namespace heddle::report::log_test {
namespace {

using Lines = std::vector<std::string>;

class Logs : public testing::Test {
 protected:
  Log log(Log::Level level) {
    return Log(level, 3, [this](const std::string& line) { lines.push_back(line); });
  }
  CallSite site{{.procedure = "MPI_Send", .place = {"/bin/app", 0x12a4, "main"}, .datatype = {}, .communicator = {}}};
  Lines lines;
};

TEST_F(Logs, ALineNamesRankCallPlaceAndReason) {
  Log all = log(Log::Level::debug);
  all.add_way(true, &site, "send", 64, "block 64", "packed", "no memory");
  all.add_way(true, nullptr, "receive", 8, "block 8", "multi-w", "");
  all.add_way(true, nullptr, "send", 8, "block 8", "packed", "packed: no memory");
  all.add_algorithm(true, &site, "ring");
  all.add_call(site, {.carried = true, .why = Passed::small, .first = true}, 64, 14'240);
  all.add_call(site, {.carried = false, .why = Passed::small, .first = true}, -1, 900);
  EXPECT_EQ(lines, (Lines{"heddle 3: MPI_Send in main (app+0x12a4): send of 64 B, block 64: packed: no memory\n",
                          "heddle 3: receive of 8 B, block 8: multi-w\n", "heddle 3: send of 8 B, block 8: packed: no memory\n",
                          "heddle 3: MPI_Send in main (app+0x12a4): algorithm: ring\n",
                          "heddle 3: MPI_Send in main (app+0x12a4): 64 B, 14.2 us: by Heddle\n",
                          "heddle 3: MPI_Send in main (app+0x12a4): 0.9 us: by the MPI library (too little)\n"}));
}

TEST_F(Logs, NamesOfTheProgramDoNotSteerTheTerminal) {
  log(Log::Level::debug).add_way(true, nullptr, "send", 8, "named a\x1b[2J\nb", "packed", "no memory");
  EXPECT_EQ(lines, Lines{"heddle 3: send of 8 B, named a\\x1b[2J\\x0ab: packed: no memory\n"});
}

TEST_F(Logs, InfoPrintsTheFirstLineOfEachKind) {
  for (const Log::Level level : {Log::Level::info, Log::Level::debug}) {
    lines.clear();
    Log some = log(level);
    Report report;
    report.log_to(&some);
    CallSite* const here = report.site({"MPI_Send", {}, {}, {}});
    const Caller caller{here, 1};
    for (int time = 0; time < 3; ++time) {
      report.add("send", layout::Layout(), "packed", 0, {}, caller);
      report.add_algorithm(caller, "ring");
      some.add_call(*here, here->ends(7, 10, 8, Passed::no_holes), 8, 10);
    }
    EXPECT_EQ(lines.size(), level == Log::Level::info ? 3 : 9);
  }
}

TEST_F(Logs, ACallThatHeddleCarriesIsSaidToBe) {
  site.carried(5, false);
  EXPECT_TRUE(site.ends(5, 1, 1, Passed::no_holes).carried);
  EXPECT_FALSE(site.ends(6, 1, 1, Passed::no_holes).carried);
  EXPECT_FALSE(site.ends(7, 1, 1, Passed::no_holes).first);
  EXPECT_TRUE(site.ends(8, 1, 1, Passed::small).first);
}

}  // namespace
}  // namespace heddle::report::log_test
