// Yielding helps or not, depending on the session.
#include "engine/base/give_way.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace heddle::engine::give_way_test {
namespace {

/// The answer in a child, in a session of its own or in ours.
bool helps_child(bool own_session) {
  const pid_t child = fork();
  if (child == 0) {
    if (own_session) setsid();
    _exit(yielding_helps() ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status) == 1;
}

}  // namespace

TEST(GiveWay, YieldingDoesNotLeaveASessionWhereLinuxSchedulesBySession) {
  int grouped = 0;
  std::ifstream{"/proc/sys/kernel/sched_autogroup_enabled"} >> grouped;
  EXPECT_EQ(helps_child(true), grouped == 0);
  EXPECT_TRUE(helps_child(false));
}

TEST(GiveWay, ThereIsACore) { EXPECT_GE(cores_of_node(), 1); }

TEST(GiveWay, RanksAreCountedByTheLauncher) {
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"}) unsetenv(name);
  EXPECT_EQ(ranks_of_node(), 0);
  setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "12", 1);
  EXPECT_EQ(ranks_of_node(), 12);
  setenv("MPI_LOCALNRANKS", "-3", 1);
  EXPECT_EQ(ranks_of_node(), 0);
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"}) unsetenv(name);
}

}  // namespace heddle::engine::give_way_test
