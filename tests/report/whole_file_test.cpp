// Reports and timelines are written whole or not at all, and never through another user's link.
#include "report/whole_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle::report::whole_file_test {
namespace {

class WholeFiles : public testing::Test {
 protected:
  WholeFiles() { std::filesystem::create_directories(folder); }
  ~WholeFiles() override { std::filesystem::remove_all(folder); }

  [[nodiscard]] std::string at(const char* name) const { return (folder / name).string(); }
  static std::string put(const std::string& path, const char* text) {
    WholeFile file(path);
    file.add(text);
    return file.end();
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] long entries() const { return std::distance(std::filesystem::directory_iterator(folder), {}); }

  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("heddle-whole-file-" + std::to_string(getpid()));
};

TEST_F(WholeFiles, ReplaceWhatWasThereAndLeaveNothingBeside) {
  EXPECT_EQ(put(at("r.json"), "one"), "");
  EXPECT_EQ(put(at("r.json"), "two"), "");
  EXPECT_EQ(content(at("r.json")), "two");
  { WholeFile(at("never.json")).add("half"); }
  EXPECT_EQ(entries(), 1);
}

TEST_F(WholeFiles, FollowLinksOfTheUser) {
  std::filesystem::create_symlink("second", at("latest.json"));
  std::filesystem::create_symlink(at("run42.json"), at("second"));
  EXPECT_EQ(put(at("latest.json"), "text"), "");
  EXPECT_TRUE(std::filesystem::is_symlink(at("latest.json")));
  EXPECT_EQ(content(at("run42.json")), "text");
}

TEST_F(WholeFiles, RefuseLinksOfSomebodyElse) {
  if (geteuid() != 0) GTEST_SKIP() << "another user's link takes root";
  ASSERT_EQ(put(at("victim"), "precious"), "");
  std::filesystem::create_symlink("victim", at("r.json"));
  ASSERT_EQ(lchown(at("r.json").c_str(), 65534, 65534), 0);
  EXPECT_EQ(put(at("r.json"), "text"), "cannot write " + at("r.json") + " (it is a symbolic link of another user)");
  EXPECT_EQ(content(at("victim")), "precious");
  EXPECT_EQ(entries(), 2);
}

TEST_F(WholeFiles, LeaveDevicesWhatTheyAre) {
  EXPECT_EQ(put("/dev/null", "gone"), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(put("/dev/full", "no room"), "cannot write /dev/full (No space left on device)");
}

}  // namespace
}  // namespace heddle::report::whole_file_test
