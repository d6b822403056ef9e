#include "transport/fabric/adapters.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace heddle::transport::fabric {
namespace {

TEST(Adapters, AreListedByTheirClass) {
  namespace fs = std::filesystem;
  unsetenv("FI_PROVIDER");
  const fs::path classes = fs::temp_directory_path() / ("heddle-classes-" + std::to_string(getpid()));
  EXPECT_FALSE(adapters(classes));
  fs::create_directories(classes / "net");
  std::ofstream(classes / "net/eth0") << "";
  fs::create_directories(classes / "infiniband");
  EXPECT_FALSE(adapters(classes));  // the module is loaded, but there is no adapter
  std::ofstream(classes / "infiniband/mlx5_0") << "";
  EXPECT_TRUE(adapters(classes));
  fs::remove_all(classes / "infiniband");
  fs::create_directories(classes / "cxi/cxi0");
  EXPECT_TRUE(adapters(classes));
  fs::remove_all(classes / "cxi");
  setenv("FI_PROVIDER", "opx", 1);
  EXPECT_TRUE(adapters(classes));
  unsetenv("FI_PROVIDER");
  fs::remove_all(classes);
}

}  // namespace
}  // namespace heddle::transport::fabric
