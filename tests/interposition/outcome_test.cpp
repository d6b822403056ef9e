// The messages if Heddle has not taken the host's place, and the process of a job that prints them.
#include "interposition/outcome.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {
/// The answers of PMPI_Finalized here, which stands for an MPI library that was loaded after
/// Heddle.
int refuses = 0, over = 0;
}  // namespace

extern "C" [[gnu::visibility("default")]] int PMPI_Finalized(int* flag);
int PMPI_Finalized(int* flag) {
  *flag = over;
  return refuses;
}

namespace heddle::interposition {
namespace {

TEST(Outcome, WhatIsMissingIsASentence) {
  EXPECT_EQ(outcome(Taken::all), nullptr);
  for (const Taken taken : {Taken::no_host, Taken::in_program, Taken::refused, Taken::in_part})
    EXPECT_TRUE(std::string(outcome(taken)).ends_with("."));
}

TEST(Outcome, WhoeverRunsWithoutHeddleIsToldSo) {
  for (const Taken taken : {Taken::in_program, Taken::refused})
    EXPECT_TRUE(std::string(outcome(taken)).ends_with("The program runs without Heddle."));
  EXPECT_NE(std::string(outcome(Taken::no_host)).find("ran without it"), std::string::npos);
  EXPECT_EQ(std::string(outcome(Taken::in_part)).find("without"), std::string::npos);
}

TEST(Outcome, WhetherALibraryIsOverItSaysItself) {
  EXPECT_FALSE(library_is_over());
  over = 1;
  EXPECT_TRUE(library_is_over());
  refuses = 1;
  EXPECT_FALSE(library_is_over());
  over = refuses = 0;
}

class FirstOfJob : public testing::Test {
 protected:
  FirstOfJob() {
    for (const char* const name : names) unsetenv(name);
  }
  ~FirstOfJob() override {
    for (const char* const name : names) unsetenv(name);
  }
  static constexpr const char* names[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
};

TEST_F(FirstOfJob, AProcessWithoutALauncherSpeaks) { EXPECT_TRUE(first_of_job()); }

TEST_F(FirstOfJob, OfThoseThatALauncherNumbersTheFirstSpeaks) {
  for (const char* const name : names) {
    setenv(name, "0", 1);
    EXPECT_TRUE(first_of_job()) << name;
    for (const char* const rank : {"1", "10", "00"}) {
      setenv(name, rank, 1);
      EXPECT_FALSE(first_of_job()) << name << "=" << rank;
    }
    unsetenv(name);
  }
}

TEST_F(FirstOfJob, TheNearestLauncherNumbersIt) {
  setenv("SLURM_PROCID", "0", 1);  // the step that started mpiexec
  setenv("PMI_RANK", "3", 1);
  EXPECT_FALSE(first_of_job());
}

}  // namespace
}  // namespace heddle::interposition
