// One copy between two lists of pieces. The lists need not agree, and may be of any length and
// oddness.
#include "transport/cma/cma.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "processes.hpp"
#include "transport/region.hpp"

namespace heddle::transport::testing {
namespace {

/// Cuts [base, base + total) into pieces of 0 to `most` bytes, in order, with gaps of up to `gap`.
/// Returns their bytes in all.
Bytes cut(std::byte* base, Bytes total, Bytes most, Bytes gap, std::mt19937& random, std::vector<iovec>& pieces) {
  std::uniform_int_distribution<Bytes> length(0, most);
  std::uniform_int_distribution<Bytes> skip(0, gap);
  Bytes held = 0;
  for (Bytes at = skip(random); at < total;) {
    const Bytes bytes = std::min(length(random), total - at);
    pieces.push_back({base + at, static_cast<std::size_t>(bytes)});
    held += bytes;
    at += bytes + skip(random) + (bytes == 0 ? 1 : 0);
  }
  return held;
}

std::vector<std::byte> gathered(const std::vector<iovec>& pieces, Bytes bytes) {
  std::vector<std::byte> stream;
  for (const iovec& piece : pieces) {
    const auto* const from = static_cast<const std::byte*>(piece.iov_base);
    stream.insert(stream.end(), from, from + piece.iov_len);
  }
  stream.resize(static_cast<std::size_t>(bytes));
  return stream;
}

struct Case {
  Bytes local_most, remote_most;
};

class Cma : public ::testing::TestWithParam<Case> {};

// A parent reads its child's memory. Both know the source, because fork copied it.
TEST_P(Cma, OddPiecesOnBothSides) {
  constexpr Bytes total = 300'007;
  std::vector<std::byte> source(total);
  std::mt19937 random(7);
  for (std::byte& b : source) b = static_cast<std::byte>(random());
  const std::vector<std::byte> known = source;

  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (std::byte& b : source) b = ~b;  // so a read of the parent's own copy would show
    const char byte = 0;
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    pause();
    _exit(0);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);

  std::vector<std::byte> target(total);
  std::vector<iovec> local;
  std::vector<iovec> remote;
  const Bytes room = cut(target.data(), total, GetParam().local_most, 3, random, local);
  const Bytes there = cut(source.data(), total, GetParam().remote_most, 5, random, remote);
  std::vector<std::byte> expected = gathered(remote, std::min(room, there));
  for (std::byte& b : expected) b = ~b;
  for (const auto way : {cma::read, cma::read_file}) {
    std::ranges::fill(target, std::byte{0});
    const Moved moved = way(child, local, remote);
    EXPECT_EQ(moved.error, 0);
    EXPECT_EQ(moved.bytes, std::min(room, there));
    EXPECT_EQ(gathered(local, moved.bytes), expected);
  }

  // The other way, with other bytes. Bytes between the pieces stay.
  for (std::byte& b : target) b = static_cast<std::byte>(random());
  const Moved moved = cma::write(child, local, remote);
  EXPECT_EQ(moved.error, 0);
  EXPECT_EQ(moved.bytes, std::min(room, there));
  std::vector<std::byte> whole(total), all = known;
  for (std::byte& b : all) b = ~b;
  const std::vector<std::byte> stream = gathered(local, moved.bytes);
  auto next = stream.begin();
  for (const iovec& piece : remote) {
    const auto bytes = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(piece.iov_len), stream.end() - next);
    std::copy_n(next, bytes, all.begin() + (static_cast<std::byte*>(piece.iov_base) - source.data()));
    next += bytes;
  }
  const iovec to{whole.data(), whole.size()}, from{source.data(), source.size()};
  EXPECT_EQ(cma::read(child, std::span(&to, 1), std::span(&from, 1)).bytes, total);
  EXPECT_EQ(whole, all);

  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (const auto way : {cma::read, cma::write}) {
    const Moved dead = way(child, local, remote);
    EXPECT_EQ(dead.error, ESRCH);
    EXPECT_EQ(dead.bytes, 0);
  }
  close(ready[0]);
  close(ready[1]);
}

INSTANTIATE_TEST_SUITE_P(Pieces, Cma,
                         ::testing::Values(Case{17, 13}, Case{5, 400'000}, Case{400'000, 7}, Case{4099, 31}, Case{1, 3},
                                           Case{70'001, 69'999}),
                         [](const auto& tested) {
                           return std::to_string(tested.param.local_most) + "from" + std::to_string(tested.param.remote_most);
                         });

TEST(CmaErrors, ABadAddressStopsWithWhatHasArrived) {
  const auto page = static_cast<std::size_t>(page_size());
  auto* const pages = static_cast<std::byte*>(mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(munmap(pages + page, page), 0);
  std::vector<std::byte> target(4 * page, std::byte{1});
  const iovec local{target.data(), target.size()};

  const iovec good_then_bad[] = {{pages, 100}, {pages + page, 100}, {pages, 100}};
  Moved moved = cma::read(getpid(), std::span(&local, 1), good_then_bad);
  EXPECT_EQ(moved.error, EFAULT);
  EXPECT_EQ(moved.bytes, 100);

  const iovec straddling{pages + page - 10, 100};
  moved = cma::read(getpid(), std::span(&local, 1), std::span(&straddling, 1));
  EXPECT_EQ(moved.error, EFAULT);
  EXPECT_LE(moved.bytes, 10);
  munmap(pages, page);
}

TEST(CmaErrors, AFilterLeavesTheFile) {
  run_processes(1, [](Process&) {
    const int there = 7;
    int here = 0;
    const iovec local{&here, sizeof here};
    const iovec remote{const_cast<int*>(&there), sizeof there};
    EXPECT_TRUE(cma::can_be_read_now());
    refuse_system_call(SYS_process_vm_readv, EPERM);
    EXPECT_EQ(cma::read(getpid(), std::span(&local, 1), std::span(&remote, 1)).error, EPERM);
    EXPECT_EQ(cma::read_file(getpid(), std::span(&local, 1), std::span(&remote, 1)).error, 0);
    EXPECT_EQ(here, 7);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    EXPECT_FALSE(cma::can_be_read_now());
  });
}

TEST(CmaErrors, NothingToMoveIsNoCall) {
  const iovec empty[3] = {};
  char byte = 0;
  const iovec one{&byte, 1};
  EXPECT_EQ(cma::read(0x7fff'ffff, empty, std::span(&one, 1)).error, 0);
  EXPECT_EQ(cma::read(0x7fff'ffff, {}, {}).bytes, 0);
  EXPECT_EQ(cma::read(0x7fff'ffff, std::span(&one, 1), std::span(&one, 1)).error, ESRCH);
}

}  // namespace
}  // namespace heddle::transport::testing
