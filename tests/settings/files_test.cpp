// Variables that files set. The environment overrides the user's file, which overrides the site's
// file. Complaints name a line without effect.
#include "settings/files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace heddle::settings {
namespace {

using List = std::vector<const char*>;

List list(std::initializer_list<const char*> lines) {
  List environment(lines);
  environment.push_back(nullptr);
  return environment;
}

/// A folder of the test's own, removed after the test.
class InFolder : public testing::Test {
 protected:
  InFolder() { std::filesystem::create_directories(folder); }
  ~InFolder() override { std::filesystem::remove_all(folder); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("heddle-files-test-" + std::to_string(getpid()));
};
using SettingsFiles = InFolder;

TEST_F(SettingsFiles, TheEnvironmentGoesBeforeTheUsersAndThatBeforeTheSites) {
  const std::string user = file("user", "HEDDLE_NODE_MEMORY=64M\nHEDDLE_SEGMENT=8K\n");
  const std::string site = file("site", "HEDDLE_NODE_MEMORY=1G\nHEDDLE_SEGMENT=4K\nHEDDLE_ISA=avx2\nHEDDLE_SCHEME=direct\n");
  const Files files = read_files(user, site);
  const List environment = list({"HEDDLE_NODE_MEMORY=32M", "HEDDLE_SCHEME="});
  const Settings set = read(environment.data(), files);
  EXPECT_EQ(set.node_memory, 32 << 20);
  EXPECT_EQ(set.segment, 8 << 10);
  EXPECT_EQ(set.isa, Isa::avx2);
  EXPECT_EQ(set.scheme, Scheme::automatic);  // NAME= is the default
  EXPECT_TRUE(set.complaints.empty());

  EXPECT_EQ(source(environment.data(), files, "HEDDLE_NODE_MEMORY")->from, "environment");
  EXPECT_EQ(source(environment.data(), files, "HEDDLE_SEGMENT")->from, user + ":2");
  EXPECT_EQ(source(environment.data(), files, "HEDDLE_ISA")->from, site + ":3");
  EXPECT_FALSE(source(environment.data(), files, "HEDDLE_SCHEME"));
  EXPECT_FALSE(source(environment.data(), files, "HEDDLE_YIELD"));
}

TEST_F(SettingsFiles, ABadValueIsNamedByFileAndLine) {
  const std::string user = file("user", "\n# mine\nHEDDLE_SEGMENT=3K\n");
  const Settings set = read(list({}).data(), read_files(user, ""));
  EXPECT_EQ(set.segment, 0);
  ASSERT_EQ(set.complaints.size(), 1U);
  EXPECT_TRUE(set.complaints[0].starts_with("heddle: " + user + ":3: HEDDLE_SEGMENT=3K is no power of two"))
      << set.complaints[0];
}

TEST_F(SettingsFiles, AFileThatIsNotThereIsNoneUnlessItWasNamed) {
  const std::string nowhere = (folder / "nowhere").string();
  EXPECT_TRUE(read_files(nowhere, nowhere).complaints.empty());
  const Files named = read_files(nowhere, "", true);
  ASSERT_EQ(named.complaints.size(), 1U);
  EXPECT_NE(named.complaints[0].find(nowhere + " are not used: the file cannot be read (No such file"), std::string::npos);
  EXPECT_EQ(read_files(folder.string(), "").complaints.size(), 1U);  // a folder
  EXPECT_EQ(read_files(file("large", std::string(100'000, '#')), "").complaints.size(), 1U);
}

TEST_F(SettingsFiles, NoneReadsNeitherFile) {
  const std::string site = file("site", "HEDDLE=off\n");
  EXPECT_TRUE(read_files("none", site, true).lines.empty());
  EXPECT_EQ(read_files("", site).lines.size(), 1U);
}

TEST(SettingsFile, LinesAreNamesAndValuesWithCommentsAndBlanks) {
  const Files files = parse_file("# all\n\n  HEDDLE_REPORT = /tmp/a#b %j.json   # where\r\nHEDDLE=on\nHEDDLE=off", "f");
  EXPECT_TRUE(files.complaints.empty());
  ASSERT_EQ(files.lines.size(), 2U);
  EXPECT_EQ(files.lines[0].value, "/tmp/a#b %j.json");
  EXPECT_EQ(files.lines[0].from, "f:3");
  EXPECT_EQ(files.lines[1].value, "off");  // the last counts
  EXPECT_EQ(files.lines[1].from, "f:5");
}

TEST(SettingsFile, WhatHasNoEffectIsSaidWithItsLine) {
  const Files files = parse_file("HEDDLE_SEGMNT=4K\nexport HEDDLE=on\nnonsense\n=3\nHEDDLE_CONFIG=/a\nPATH=/bin\n", "f");
  EXPECT_TRUE(files.lines.empty());
  ASSERT_EQ(files.complaints.size(), 6U);
  EXPECT_EQ(files.complaints[0], "heddle: f:1: no variable is called HEDDLE_SEGMNT; did you mean HEDDLE_SEGMENT?");
  EXPECT_EQ(files.complaints[1], "heddle: f:2: \"export HEDDLE=on\" is not NAME=VALUE; it has no effect.");
  EXPECT_TRUE(files.complaints[2].starts_with("heddle: f:3: \"nonsense\" is not NAME=VALUE"));
  EXPECT_TRUE(files.complaints[3].starts_with("heddle: f:4: "));
  EXPECT_EQ(files.complaints[4], "heddle: f:5: HEDDLE_CONFIG is read from the environment alone; it has no effect.");
  EXPECT_TRUE(files.complaints[5].starts_with("heddle: f:6: no variable is called PATH"));
}

TEST(SettingsFile, TheUsersIsNamedOrInTheHome) {
  EXPECT_EQ(user_file(list({"HOME=/h"}).data()), "/h/.config/heddle/heddle.conf");
  EXPECT_EQ(user_file(list({"HOME=/h", "XDG_CONFIG_HOME=/c"}).data()), "/c/heddle/heddle.conf");
  EXPECT_EQ(user_file(list({"HOME=/h", "XDG_CONFIG_HOME=c"}).data()), "/h/.config/heddle/heddle.conf");
  EXPECT_EQ(user_file(list({"HOME=/h", "HEDDLE_CONFIG=mine"}).data()), "mine");
  EXPECT_EQ(user_file(list({}).data()), "");
}

}  // namespace
}  // namespace heddle::settings
