// The entries of LD_PRELOAD that stay for the programs which this process starts.
#include "interposition/children.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace heddle::interposition {
namespace {

const void* in_host() { return dlsym(RTLD_DEFAULT, "MPI_Passed"); }

std::string file_of(const void* address) {
  Dl_info where{};
  return dladdr(address, &where) ? where.dli_fname : "";
}

/// The rest of LD_PRELOAD. "-": the variable is not set.
std::string left_of(const std::string& preloaded) {
  setenv("LD_PRELOAD", preloaded.c_str(), 1);
  leave_children_alone(in_host());
  const char* const left = std::getenv("LD_PRELOAD");
  const std::string text = left ? left : "-";
  unsetenv("LD_PRELOAD");
  return text;
}

const std::string interposer = file_of(reinterpret_cast<const void*>(&leave_children_alone));
const std::string library = file_of(in_host());

TEST(Children, CarryNeitherHeddleNorTheLibraryBehindIt) {
  EXPECT_EQ(left_of(interposer + ":" + library), "-");
  EXPECT_EQ(left_of(interposer), "-");
}

TEST(Children, HaveWhatElseIsPreloaded) {
  EXPECT_EQ(left_of("a.so:" + interposer + " " + library + ":b.so"), "a.so:b.so");
  EXPECT_EQ(left_of("a.so b.so"), "a.so b.so");
}

TEST(Children, KeepALibraryThatIsNamedElsewhere) {
  EXPECT_EQ(left_of(library + ":" + interposer), library);
  EXPECT_EQ(left_of(library), library);
}

}  // namespace
}  // namespace heddle::interposition
