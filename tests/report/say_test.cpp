// Messages on stderr: one line each. Remarks come only if they are asked for, and once.
#include "report/say.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::report::say_test {
namespace {

/// The text that `speak` writes on stderr.
template <class Speak>
std::string said(Speak speak) {
  testing::internal::CaptureStderr();
  speak();
  return testing::internal::GetCapturedStderr();
}

TEST(Say, AMessageIsALineThatNamesHeddle) {
  EXPECT_EQ(said([] { say("cannot map memory: why."); }), "heddle: cannot map memory: why.\n");
}

TEST(Say, NamesOfTheProgramDoNotSteerTheTerminal) {
  EXPECT_EQ(said([] { say("datatype a\x1b[2J\nheddle: all is well"); }),
            "heddle: datatype a\\x1b[2J\\x0aheddle: all is well\n");
}

TEST(Say, RemarksAreForThoseWhoAsk) {
  verbose = false;
  EXPECT_EQ(said([] { say_once_verbose("goes another way", "no memory"); }), "");
  verbose = true;
  EXPECT_EQ(said([] { say_once_verbose("goes another way", "no memory"); }), "heddle: goes another way: no memory.\n");
  verbose = false;
}

TEST(Say, ARemarkComesOnceForEachReason) {
  verbose = true;
  const auto twice = [] {
    for (int time = 0; time < 2; ++time)
      for (const char* const reason : {"one", "another"}) say_once_verbose("said once", reason);
  };
  EXPECT_EQ(said(twice), "heddle: said once: one.\nheddle: said once: another.\n");
  verbose = false;
}

TEST(SayDeathTest, WhoGivesUpSaysWhyAndFails) {
  EXPECT_EXIT(give_up("there is no MPI."), testing::ExitedWithCode(EXIT_FAILURE), "^heddle: there is no MPI\\.\n$");
}

TEST(SayDeathTest, TheEndBeforeTheProgramIsNoFailure) {
  EXPECT_EXIT(end_before_the_program(), testing::ExitedWithCode(EXIT_SUCCESS), "^$");
}

}  // namespace
}  // namespace heddle::report::say_test
