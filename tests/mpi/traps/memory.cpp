// Memory that the ranks of a node share: its amount, and the processes that see it.
#include <heddle/heddle.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "support/completions.hpp"
#include "traps/large.hpp"

namespace heddle::test::memory_tests {
namespace {

constexpr int tag = 10;

/// The resident part of this process's mappings of Heddle's memory, KiB.
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

/// Memory of process `pid` in which no other process has a part, KiB.
long private_kib(pid_t pid) {
  long kib = 0, total = 0;
  char line[512];
  FILE* const maps = std::fopen(("/proc/" + std::to_string(pid) + "/smaps_rollup").c_str(), "r");
  EXPECT_NE(maps, nullptr);
  while (maps && std::fgets(line, sizeof line, maps))
    if (std::sscanf(line, "Private_Clean: %ld", &kib) == 1 || std::sscanf(line, "Private_Dirty: %ld", &kib) == 1) total += kib;
  if (maps) std::fclose(maps);
  return total;
}

/// During its lifetime, this process gets no more than `more` bytes of address space.
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

/// A blocking receive that cannot be staged goes into the program's own buffer.
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
  constexpr std::size_t bytes = 7680;  // every shape can have this size
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

namespace {

enum class Origin { alloc_mem, heddle_alloc };

void* taken(Origin from, std::size_t bytes) {
  if (from == Origin::heddle_alloc) return heddle_alloc(bytes);
  void* memory = nullptr;
  MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &memory);
  return memory;
}

void given_back(Origin to, void* memory) {
  if (to == Origin::heddle_alloc)
    heddle_free(memory);
  else
    MPI_Free_mem(memory);
}

/// A child without a call of pthread_atfork's handlers: only the kernel knows of it.
pid_t child_of_kernel() { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

int status_of(pid_t child) {
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

}  // namespace

TEST_RANKS(2, Memory, AForkedChildHasItsOwn) {
  constexpr std::size_t bytes = MiB;
  for (const Origin origin : {Origin::alloc_mem, Origin::heddle_alloc}) {
    auto* const words = static_cast<char*>(taken(origin, bytes));
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
    EXPECT_EQ(status_of(child), 0);
    EXPECT_EQ(std::count(words, words + bytes, 'b'), static_cast<long>(bytes));
    close(written[0]);
    close(written[1]);
    given_back(origin, words);
  }
}

/// Parent and child share the pages of MPI_Alloc_mem until one of them writes.
TEST_RANKS(2, Memory, AForkCopiesNoPages) {
  if (team.rank != 0) return;
  constexpr std::size_t bytes = 512 * MiB;
  auto* const words = static_cast<char*>(taken(Origin::alloc_mem, bytes));
  std::fill_n(words, bytes, 'a');
  EXPECT_GT(private_kib(getpid()), 400 * 1024);
  int over[2];
  ASSERT_EQ(pipe(over), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    _exit(read(over[0], &byte, 1) == 1 ? 0 : 1);
  }
  EXPECT_LT(private_kib(child), 128 * 1024);
  EXPECT_LT(private_kib(getpid()), 128 * 1024);
  EXPECT_EQ(write(over[1], "", 1), 1);
  EXPECT_EQ(status_of(child), 0);
  close(over[0]);
  close(over[1]);
  given_back(Origin::alloc_mem, words);
}

/// The child has a copy of MPI_Alloc_mem's memory. It does not have heddle_alloc's memory, so it
/// cannot write into its parent's.
TEST_RANKS(2, Memory, AChildThatNoHandlerSeesCannotChangeItsParent) {
  constexpr std::size_t bytes = MiB;
  for (const Origin origin : {Origin::alloc_mem, Origin::heddle_alloc}) {
    auto* const words = static_cast<char*>(taken(origin, bytes));
    std::fill_n(words, bytes, 'a');
    const pid_t child = child_of_kernel();
    if (child == 0) {
      const bool right = std::count(words, words + bytes, 'a') == static_cast<long>(bytes);
      std::fill_n(words, bytes, 'c');
      syscall(SYS_exit_group, right ? 0 : 1);
    }
    const int status = status_of(child);
    if (origin == Origin::alloc_mem) {
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(std::count(words, words + bytes, 'a'), static_cast<long>(bytes));
    given_back(origin, words);
  }
}

TEST_RANKS(2, Memory, OtherPagesAtTheSameAddressAreSent) {
  constexpr std::size_t bytes = 480 * KiB;
  Large in(Shape::pairs, bytes), pattern(Shape::pairs, bytes);
  MPI_Aint first = 0, span = 0;
  MPI_Type_get_true_extent(pattern.type(), &first, &span);
  MPI_Aint lower = 0, extent = 0;
  MPI_Type_get_extent(pattern.type(), &lower, &extent);
  const auto used = static_cast<std::size_t>(first + span + extent * (pattern.count() - 1));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t length = (used + page - 1) / page * page;
  void* const memory = taken(Origin::alloc_mem, length + page);
  void* const out = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(memory) + page - 1) / page * page);
  constexpr int protection = PROT_READ | PROT_WRITE;
  constexpr int fresh = MAP_PRIVATE | MAP_ANONYMOUS;
  const int other = 1 - team.rank;
  MPI_Request both[2];
  MPI_Send_init(out, pattern.count(), pattern.type(), other, tag, team.comm, &both[0]);
  MPI_Recv_init(in.base(), in.count(), in.type(), other, tag, team.comm, &both[1]);
  const auto name = [](int rank, int round) { return static_cast<std::uint32_t>(10 * round + rank); };
  for (int round = 0; round < 6; ++round) {
    if (round % 3 == 1) {
      ASSERT_EQ(mmap(out, length, protection, fresh | MAP_FIXED, -1, 0), out);
    }
    if (round % 3 == 2) {  // only a part of it
      void* const more = mmap(nullptr, page, protection, fresh, -1, 0);
      std::byte* const middle = static_cast<std::byte*>(out) + length / page / 2 * page;
      ASSERT_EQ(mremap(more, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, middle), middle);
    }
    pattern.fill(name(team.rank, round));
    std::memcpy(out, pattern.base(), used);
    in.clear();
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    ASSERT_EQ(in.wrong(name(other, round)), "") << "round " << round;
  }
  for (MPI_Request& each : both) MPI_Request_free(&each);
  // The memory is not freed: the library did not map these pages.
}

/// Node memory is address space, and few of its parts have pages. That stays so even if the program
/// locks all its memory.
TEST_RANKS(2, Memory, LockedMemoryIsWhatIsUsed) {
  MPI_Barrier(team.comm);
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    EXPECT_TRUE(errno == EPERM || errno == ENOMEM);  // RLIMIT_MEMLOCK
  } else {
    EXPECT_LT(shared_kib(), 256 * 1024);  // more than 1 GiB is reserved
  }
  for (const Shapes& pair : {Shapes{Shape::pairs, Shape::rows}, Shapes{Shape::columns, Shape::structs}}) {
    Large out(pair.sent, 2 * MiB), in(pair.received, 2 * MiB);
    out.fill(static_cast<std::uint32_t>(team.rank));
    const int other = 1 - team.rank;
    MPI_Request sent = MPI_REQUEST_NULL;
    MPI_Isend(out.base(), out.count(), out.type(), other, tag, team.comm, &sent);
    MPI_Recv(in.base(), in.count(), in.type(), other, tag, team.comm, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(static_cast<std::uint32_t>(other)), "");
  }
  EXPECT_LT(shared_kib(), 256 * 1024);
  munlockall();
}

TEST_RANKS(2, Memory, MemoryIsAlignedAsItsInfoWishes) {
  for (const MPI_Aint bytes : {1'000, 300'001, 3'000'001})
    for (const std::uintptr_t alignment : {std::uintptr_t{64}, std::uintptr_t{64} << 10, std::uintptr_t{4} << 20}) {
      MPI_Info info = MPI_INFO_NULL;
      MPI_Info_create(&info);
      MPI_Info_set(info, "mpi_minimum_memory_alignment", std::to_string(alignment).c_str());
      void* memory[3] = {};
      for (void*& each : memory) {
        succeeds(MPI_Alloc_mem(bytes, info, &each));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each) % alignment, 0u) << bytes << " bytes, alignment " << alignment;
      }
      for (void* each : memory) MPI_Free_mem(each);
      MPI_Info_free(&info);
    }
}

}  // namespace heddle::test::memory_tests
