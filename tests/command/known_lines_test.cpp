#include "command/known_lines.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace {

using namespace heddle::command;
using namespace std::string_literals;

using Words = std::vector<std::string_view>;

/// The bytes of texts, each with its NUL.
std::string bytes_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + '\0';
  return all;
}

std::string file_with(const std::vector<std::string>& line, const std::string& context = "here") {
  const std::string lines = bytes_of({context, "1", std::to_string(line.size())}) + bytes_of(line) + bytes_of({"end"});
  return bytes_of({"heddle lines 1", std::to_string(checksum_of(lines))}) + lines;
}

/// `heddle run -n 2 ./app ...`, of which no further word may be ":".
std::vector<std::string> line(const std::string& further = "open", const std::string& signature = "-") {
  return {"3",           "-n",      "2", "./app",      further,        "1", ":",       "1",
          "/none/there", signature, "1", "/heddle.so", "/bin/mpiexec", "2", "mpiexec", "./app"};
}

TEST(KnownLines, FurtherWordsFollowTheArguments) {
  const auto command = command_of(file_with(line()), "here", Words{"-n", "2", "./app", "", "-x"});
  ASSERT_TRUE(command);
  EXPECT_EQ(*command, (Command{"/bin/mpiexec", {"mpiexec", "./app", "", "-x"}, "/heddle.so"}));
}

TEST(KnownLines, OtherWordsAreNotKnown) {
  const std::string bytes = file_with(line());
  EXPECT_TRUE(command_of(bytes, "here", Words{"-n", "2", "./app"}));
  EXPECT_FALSE(command_of(bytes, "here", Words{"-n", "2"}));
  EXPECT_FALSE(command_of(bytes, "here", Words{"-n", "2", "./apps"}));
  EXPECT_FALSE(command_of(bytes, "here", Words{"-n", "2", "./app", "1", ":"}));
  EXPECT_FALSE(command_of(bytes, "there", Words{"-n", "2", "./app"}));
  EXPECT_FALSE(command_of(bytes, "here", Words{}));
}

TEST(KnownLines, AClosedLineHasNoFurtherWords) {
  EXPECT_TRUE(command_of(file_with(line("closed")), "here", Words{"-n", "2", "./app"}));
  EXPECT_FALSE(command_of(file_with(line("closed")), "here", Words{"-n", "2", "./app", "1"}));
  EXPECT_FALSE(command_of(file_with(line("other")), "here", Words{"-n", "2", "./app"}));
}

TEST(KnownLines, AChangedFileIsNoticed) {
  std::string path = testing::TempDir() + "known_lines_XXXXXX";
  close(mkstemp(path.data()));
  auto rests = line();
  rests[8] = path;
  rests[9] = signature_of(path);
  EXPECT_TRUE(command_of(file_with(rests), "here", Words{"-n", "2", "./app"}));
  std::ofstream(path) << "longer";
  EXPECT_FALSE(command_of(file_with(rests), "here", Words{"-n", "2", "./app"}));
  unlink(path.c_str());
  EXPECT_EQ(signature_of(path), "-");
}

TEST(KnownLines, AChangeOfModeIsNoticed) {
  std::string path = testing::TempDir() + "known_lines_XXXXXX";
  close(mkstemp(path.data()));
  const std::string before = signature_of(path);
  usleep(20'000);  // a tick of the file system's clock
  chmod(path.c_str(), 0755);
  EXPECT_NE(signature_of(path), before);
  unlink(path.c_str());
}

TEST(KnownLines, DamagedBytesAreNoCommand) {
  const Words words{"-n", "2", "./app"};
  const std::string whole = file_with(line());
  ASSERT_TRUE(command_of(whole, "here", words));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_FALSE(command_of(whole.substr(0, length), "here", words)) << length;
  EXPECT_FALSE(command_of(whole + "x", "here", words));
  EXPECT_FALSE(command_of(whole + '\0', "here", words));
  EXPECT_FALSE(command_of(std::string(whole.size(), '\0'), "here", words));
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_FALSE(command_of(damaged, "here", words)) << bit;
  }
  // Texts are counted twice, so a number that another replaces never gives another command.
  for (std::size_t i = 0; i < line().size(); ++i) {
    for (const std::string number : {"", "0", "2", "4", "99", "-1", "1x", "18446744073709551615", "9999999999999999999999"}) {
      auto damaged = line();
      if (damaged[i].find_first_not_of("0123456789") != std::string::npos || damaged[i] == number || i == 2) continue;
      damaged[i] = number;
      EXPECT_FALSE(command_of(file_with(damaged), "here", words)) << i << ' ' << number;
    }
  }
}

TEST(KnownLines, TheChecksumIsThatOfPython) { EXPECT_EQ(checksum_of("123456789"), 0xcbf43926); }

class OwnFile : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(mkdtemp(folder.data()));
    std::ofstream(path()) << "content";
    chmod(path().c_str(), 0600);
  }
  void TearDown() override { (void)!system(("rm -r " + folder).c_str()); }

  [[nodiscard]] std::string path() const { return folder + "/file"; }

  std::string folder = testing::TempDir() + "own_file_XXXXXX";
};

TEST_F(OwnFile, IsRead) { EXPECT_EQ(read_own_file(path()), "content"); }

TEST_F(OwnFile, IsRefusedIfOthersMayWriteIt) {
  for (const mode_t mode : {0620, 0602}) {
    chmod(path().c_str(), mode);
    EXPECT_FALSE(read_own_file(path()));
  }
  chmod(path().c_str(), 0644);
  EXPECT_TRUE(read_own_file(path()));
  chmod(folder.c_str(), 0770);
  EXPECT_FALSE(read_own_file(path()));
}

TEST_F(OwnFile, IsNoLinkNoPipeAndNoFolder) {
  const std::string other = folder + "/other";
  ASSERT_EQ(symlink(path().c_str(), other.c_str()), 0);
  EXPECT_FALSE(read_own_file(other));
  unlink(other.c_str());
  ASSERT_EQ(mkfifo(other.c_str(), 0600), 0);
  EXPECT_FALSE(read_own_file(other));
  EXPECT_FALSE(read_own_file(folder));
  EXPECT_FALSE(read_own_file(folder + "/none"));
  EXPECT_FALSE(read_own_file(folder + "/file/none"));
}

TEST_F(OwnFile, IsRefusedIfItBelongsToAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chown(path().c_str(), 1, 1), 0);
  EXPECT_FALSE(read_own_file(path()));
  ASSERT_EQ(chown(path().c_str(), 0, 0), 0);
  ASSERT_EQ(chown(folder.c_str(), 1, 1), 0);
  EXPECT_FALSE(read_own_file(path()));
}

}  // namespace
