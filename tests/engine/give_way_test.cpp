// Naps leave the thread as it was; whether yielding helps depends on the session.
#include "engine/give_way.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

namespace heddle::engine {
namespace {

/// What a child finds, in a session of its own or in ours.
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

TEST(GiveWay, ANapLeavesTheTimerSlackAsItWas) {
  for (const int slack : {1, 50'000, 1'000'000}) {
    ASSERT_EQ(prctl(PR_SET_TIMERSLACK, slack), 0);
    nap();
    EXPECT_EQ(prctl(PR_GET_TIMERSLACK), slack);
  }
}

TEST(GiveWay, YieldingDoesNotLeaveASessionWhereLinuxSchedulesBySession) {
  int grouped = 0;
  std::ifstream{"/proc/sys/kernel/sched_autogroup_enabled"} >> grouped;
  EXPECT_EQ(helps_child(true), grouped == 0);
  EXPECT_TRUE(helps_child(false));
}

}  // namespace heddle::engine
