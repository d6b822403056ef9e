// A report's name tells the job, the host, the process and the rank that wrote it.
#include "report/file_name.hpp"

#include <gtest/gtest.h>

namespace heddle::report::file_name_test {
namespace {

std::string job(std::initializer_list<const char*> lines) {
  std::vector<const char*> environment(lines);
  environment.push_back(nullptr);
  return job_of(environment.data());
}

TEST(FileName, TellsWhoWroteIt) {
  const Writer writer{.host = "node7", .process = 4711, .job = "81", .rank = 3};
  EXPECT_EQ(file_name("a/%j-%h.%p.%r.json", writer), "a/81-node7.4711.3.json");
  EXPECT_EQ(file_name("plain.json", writer), "plain.json");
  EXPECT_EQ(file_name("", writer), "");
}

TEST(FileName, APercentSignThatMeansNothingStays) {
  const Writer writer{.host = "%p", .process = 1, .job = "2", .rank = 3};
  EXPECT_EQ(file_name("100%%-%x-%", writer), "100%-%x-%");
  EXPECT_EQ(file_name("%h%%r", writer), "%p%r");  // inserted text is not expanded again
}

TEST(FileName, TheJobIsTheBatchSystems) {
  EXPECT_EQ(job({"SLURM_JOB_ID=81", "HOME=/"}), "81");
  EXPECT_EQ(job({"SLURM_JOB_ID=81", "PBS_JOBID=7.server"}), "7.server");
  EXPECT_EQ(job({"PBS_JOBID=", "JOB_ID=5/1"}), "5_1");
  EXPECT_EQ(job({"MY_JOB_ID=1"}), "0");
}

}  // namespace
}  // namespace heddle::report::file_name_test
