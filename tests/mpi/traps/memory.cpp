// Memory that is shared with the other ranks of the node: how much of it, and who else sees it.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "support/completions.hpp"
#include "traps/large.hpp"

namespace heddle::test {
namespace {

constexpr int tag = 10;

/// Of this process's mappings of Heddle's memory, what is there. KiB.
long shared_kib() {
  long kib = 0, total = 0;
  bool ours = false;
  char line[512];
  FILE* const maps = std::fopen("/proc/self/smaps", "r");
  while (maps && std::fgets(line, sizeof line, maps)) {
    unsigned long from = 0, to = 0;
    if (std::sscanf(line, "%lx-%lx ", &from, &to) == 2) ours = std::strstr(line, "memfd:heddle") != nullptr;
    if (ours && std::sscanf(line, "Rss: %ld", &kib) == 1) total += kib;
  }
  if (maps) std::fclose(maps);
  return total;
}

/// While it lives, this process gets no more than so many bytes of address space.
class Scarce {
 public:
  explicit Scarce(rlim_t more) {
    unsigned long pages = 0;
    FILE* const size = std::fopen("/proc/self/statm", "r");
    EXPECT_EQ(size ? std::fscanf(size, "%lu", &pages) : 0, 1);
    if (size) std::fclose(size);
    getrlimit(RLIMIT_AS, &before_);
    const rlimit scarce{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_AS, &scarce), 0);
  }
  ~Scarce() { setrlimit(RLIMIT_AS, &before_); }
  Scarce(const Scarce&) = delete;
  Scarce& operator=(const Scarce&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

/// What cannot be staged is received into the program's own buffer, by blocking calls.
TEST_RANKS(2, Memory, AReceiveThatCannotBeStagedGoesIntoItsBuffer) {
  constexpr std::size_t bytes = 64 * MiB;
  const ReturningErrors returning(team.comm);
  for (const bool matched : {false, true}) {
    Large data(Shape::columns, bytes);
    if (team.rank == 0) {
      data.fill(5);
      succeeds(MPI_Send(data.base(), data.count(), data.type(), 1, tag, team.comm));
    } else {
      MPI_Message message = MPI_MESSAGE_NULL;
      if (matched) {
        succeeds(MPI_Mprobe(0, tag, team.comm, &message, MPI_STATUS_IGNORE));
      }
      {
        const Scarce scarce(bytes / 4);
        succeeds(matched ? MPI_Mrecv(data.base(), data.count(), data.type(), &message, MPI_STATUS_IGNORE)
                         : MPI_Recv(data.base(), data.count(), data.type(), 0, tag, team.comm, MPI_STATUS_IGNORE));
      }
      EXPECT_EQ(data.wrong(5), "");
    }
    MPI_Barrier(team.comm);
  }
}

TEST_RANKS(2, Memory, MessagesUnderWayTakeAboutWhatTheyHaveBytes) {
  constexpr int many = 4000;
  constexpr std::size_t bytes = 7680;  // a multiple of what all shapes are rounded to
  std::vector<MPI_Request> requests(many, MPI_REQUEST_NULL);
  const long before = shared_kib();
  Large data(team.rank ? Shape::structs : Shape::columns, bytes);
  if (team.rank == 0) {
    data.fill(3);
    for (MPI_Request& request : requests) MPI_Isend(data.base(), data.count(), data.type(), 1, tag, team.comm, &request);
    EXPECT_LE(shared_kib() - before, 2 * many * static_cast<long>(bytes) / 1024);
    MPI_Barrier(team.comm);
    MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
  } else {
    MPI_Barrier(team.comm);
    for (int i = 0; i < many; ++i) {
      MPI_Recv(data.base(), data.count(), data.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      if (i % 100 == 0) {
        EXPECT_EQ(data.wrong(3), "");
        data.clear();
      }
    }
  }
}

TEST_RANKS(2, Memory, AForkedChildHasItsOwn) {
  constexpr std::size_t bytes = MiB;
  void* memory = nullptr;
  MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
  auto* const words = static_cast<char*>(memory);
  std::fill_n(words, bytes, 'a');
  int written[2];
  ASSERT_EQ(pipe(written), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    const bool right = read(written[0], &byte, 1) == 1 && std::count(words, words + bytes, 'a') == static_cast<long>(bytes);
    std::fill_n(words, bytes, 'c');
    _exit(right ? 0 : 1);
  }
  std::fill_n(words, bytes, 'b');
  EXPECT_EQ(write(written[1], "", 1), 1);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(std::count(words, words + bytes, 'b'), static_cast<long>(bytes));
  close(written[0]);
  close(written[1]);
  MPI_Free_mem(memory);
}

}  // namespace heddle::test
