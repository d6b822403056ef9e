#include "command/context.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <vector>

namespace {

using namespace heddle::command;

class Environment {
 public:
  Environment(std::initializer_list<const char*> entries) {
    for (const char* entry : entries) pointers_.push_back(const_cast<char*>(entry));
    pointers_.push_back(nullptr);
  }
  operator char**() { return pointers_.data(); }

 private:
  std::vector<char*> pointers_;
};

TEST(Context, HasTheVariablesThatCountInAnyOrder) {
  const auto plain = context_of("/python", Environment{"PATH=/bin", "HEDDLE_SCHEME=eager"});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain, context_of("/python", Environment{"HEDDLE_SCHEME=eager", "PATH=/bin"}));
  EXPECT_EQ(plain, context_of("/python", Environment{"PATH=/bin", "EDITOR=ed", "HEDDLE_SCHEME=eager", "PWD=/"}));
  EXPECT_NE(plain, context_of("/python3", Environment{"PATH=/bin", "HEDDLE_SCHEME=eager"}));
  for (const char* changed :
       {"PATH=/usr/bin", "HEDDLE_SCHEME=", "LD_PRELOAD=a.so", "LD_LIBRARY_PATH=", "PYTHONPATH=/x", "HEDDLE=off",
        "MPI4PY_LIBMPI=x", "HOME=/", "GLIBC_TUNABLES=x", "SLURM_EXPORT_ENV=NONE", "VIRTUAL_ENV=/v"})
    EXPECT_NE(plain, context_of("/python", Environment{changed, "PATH=/bin", "HEDDLE_SCHEME=eager"})) << changed;
}

TEST(Context, TextsDoNotRunIntoEachOther) {
  EXPECT_NE(context_of("/python", Environment{"HEDDLE_A=1", "HEDDLE_B=2"}),
            context_of("/python", Environment{"HEDDLE_A=1,10:HEDDLE_B=2"}));
  EXPECT_NE(context_of("/python", Environment{"HEDDLE_A=", "HEDDLE_B="}),
            context_of("/python", Environment{"HEDDLE_A=HEDDLE_B="}));
}

TEST(Context, HasTheFolderAndTheCores) {
  const auto before = context_of("/python", Environment{});
  ASSERT_TRUE(before);
  ASSERT_EQ(chdir("/"), 0);
  const auto elsewhere = context_of("/python", Environment{});
  EXPECT_NE(elsewhere, before);
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one core";
  CPU_ZERO(&one);
  for (int i = 0; CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_NE(context_of("/python", Environment{}), elsewhere);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(context_of("/python", Environment{}), elsewhere);
}

TEST(Context, ItsFileFollowsTheRuleOfFacts) {
  const auto folder = [](Environment environment) {
    const auto file = file_of("context", environment);
    return file ? file->substr(0, file->rfind('/')) : "none";
  };
  EXPECT_EQ(folder({"HOME=/home/me"}), "/home/me/.cache/heddle/found.json.lines");
  EXPECT_EQ(folder({"HOME=/home/me", "XDG_CACHE_HOME=/cache"}), "/cache/heddle/found.json.lines");
  EXPECT_EQ(folder({"HOME=/home/me", "XDG_CACHE_HOME=", "HEDDLE_CACHE="}), "/home/me/.cache/heddle/found.json.lines");
  EXPECT_EQ(folder({"XDG_CACHE_HOME=/cache", "HEDDLE_CACHE=/tmp/facts"}), "/tmp/facts.lines");
  EXPECT_EQ(folder({"HOME=/home/me", "HEDDLE_CACHE=off"}), "none");
  EXPECT_EQ(folder({"HOMER=/home/me"}), "none");
  EXPECT_NE(file_of("one", Environment{"HOME=/"}), file_of("two", Environment{"HOME=/"}));
}

}  // namespace
