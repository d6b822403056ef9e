#include "transport/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::transport {
namespace {

/// The answer in a child that first leaves namespaces of its parent. 0: the same machine, 1:
/// another, 2: the system refuses namespaces.
int child_finds(int namespaces) {
  const std::string before = machine();
  const pid_t child = fork();
  if (child == 0) {
    if (namespaces != 0 && unshare(namespaces) != 0) _exit(2);
    _exit(machine() == before ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(Machine, IsTheSameInProcessesSideBySide) {
  EXPECT_NE(machine(), "");
  EXPECT_EQ(child_finds(0), 0);
}

TEST(Machine, IsAnotherInAnotherNetworkNamespace) {
  const int found = child_finds(CLONE_NEWNET);
  if (found == 2) GTEST_SKIP() << "this machine gives no network namespaces";
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace heddle::transport
