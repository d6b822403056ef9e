// refused [WHAT ...]: large messages between all ranks, in a process that the system refuses
// something. The results must be right all the same.
//
//   process_vm        process_vm_readv and _writev: EPERM, as in a container without CAP_SYS_PTRACE
//   memfd             memfd_create: ENOSYS, as before Linux 3.17
//   descriptors=N     no more than N open files beyond those of the host's MPI_Init
//   memory=MiB        no more than this address space beyond that of the host's MPI_Init
//   locked            mlockall(MCL_FUTURE) before MPI_Init: every mapping is locked and counted
//   only=RANK         all this for one rank alone
//
//   first=CALL        iallreduce, ibarrier, dup, cart: the program's first call, before any message
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>

#include "support/host.hpp"
#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::MiB;
using heddle::test::Shapes;

namespace {

void refuse(long call, int error) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    std::perror("refused: seccomp");
    std::exit(2);
  }
}

/// The rank that the launchers tell before MPI_Init.
int rank_of_environment() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return -1;
}

int spare_descriptors = -1, spare_mib = -1;
bool locked = false;

void refuse(std::string_view what) {
  if (what == "process_vm") {
    refuse(SYS_process_vm_readv, EPERM);
    refuse(SYS_process_vm_writev, EPERM);
  } else if (what == "memfd") {
    refuse(SYS_memfd_create, ENOSYS);
  } else if (what == "locked") {
    locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  } else if (what.starts_with("descriptors=")) {
    spare_descriptors = std::atoi(what.data() + what.find('=') + 1);
  } else if (what.starts_with("memory=")) {
    spare_mib = std::atoi(what.data() + what.find('=') + 1);
  }
}

/// Limits the process when the host has what it needs, before Heddle asks for anything.
void limit() {
  if (spare_descriptors >= 0) {
    const int next = dup(0);
    close(next);
    const auto most = static_cast<rlim_t>(next) + static_cast<rlim_t>(spare_descriptors);
    const rlimit files{most, most};
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (spare_mib >= 0) {
    std::ifstream statm("/proc/self/statm");
    std::size_t pages = 0;
    statm >> pages;
    const auto most = static_cast<rlim_t>(pages * 4096 + static_cast<std::size_t>(spare_mib) * MiB);
    const rlimit space{most, most};
    setrlimit(RLIMIT_AS, &space);
  }
}

int wrong = 0;
void check(const std::string& complaint) {
  if (complaint.empty()) return;
  std::printf("wrong: %s\n", complaint.c_str());
  wrong = 1;
}

/// The memory of all kinds that this process has.
long resident_mib() {
  std::ifstream statm("/proc/self/statm");
  long size = 0, resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}

/// Sends to the next rank, in four ways.
void exchange(int rank, int size, const Shapes& pair, std::size_t bytes, std::uint32_t number) {
  Large out(pair.sent, bytes), in(pair.received, bytes);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const auto name = [&](int from) { return 10 * number + static_cast<std::uint32_t>(from); };
  out.fill(name(rank));
  MPI_Request requests[2];
  switch (number % 4) {
    case 0:
      MPI_Sendrecv(out.base(), out.count(), out.type(), next, 1, in.base(), in.count(), in.type(), previous, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Isend(out.base(), out.count(), out.type(), next, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Recv(in.base(), in.count(), in.type(), previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      break;
    case 2:
      MPI_Irecv(in.base(), in.count(), in.type(), MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Send(out.base(), out.count(), out.type(), next, 1, MPI_COMM_WORLD);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      break;
    default:
      MPI_Irecv(in.base(), in.count(), in.type(), previous, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out.base(), out.count(), out.type(), next, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  check(in.wrong(name(previous)));
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Many large messages at once: more than a small node memory has room for.
void flood(int rank, int size) {
  constexpr int many = 16;
  std::vector<std::unique_ptr<Large>> out, in;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < many; ++i) {
    const Shapes pair = heddle::test::shapes[i % 6];
    out.push_back(std::make_unique<Large>(pair.sent, 700 * KiB));
    in.push_back(std::make_unique<Large>(pair.received, 700 * KiB));
    out.back()->fill(static_cast<std::uint32_t>(100 * rank + i));
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(out.back()->base(), out.back()->count(), out.back()->type(), (rank + 1) % size, i % 3, MPI_COMM_WORLD,
              &requests.back());
  }
  const int previous = (rank + size - 1) % size;
  for (int i = 0; i < many; ++i) {
    Large& one = *in[static_cast<std::size_t>(i)];
    MPI_Recv(one.base(), one.count(), one.type(), previous, i % 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(one.wrong(static_cast<std::uint32_t>(100 * previous + i)));
  }
  MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
}

/// The call of a rank without Heddle, while other ranks still ask for Heddle's ranks.
void first_call(std::string_view name, int size) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm other = MPI_COMM_NULL;
  if (name == "iallreduce") {
    std::vector<int> mine(17), all(17, -1);
    for (int i = 0; i < 17; ++i) mine[static_cast<std::size_t>(i)] = i;
    MPI_Iallreduce(mine.data(), all.data(), 17, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 17; ++i) check(all[static_cast<std::size_t>(i)] == size * i ? "" : "the sum of MPI_Iallreduce");
  } else if (name == "ibarrier") {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (name == "dup") {
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
  } else if (name == "cart") {
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &other);
  }
  if (other == MPI_COMM_NULL) return;
  int members = 0;
  MPI_Comm_size(other, &members);
  check(members == size ? "" : "the size of a communicator");
  MPI_Comm_free(&other);
}

}  // namespace

/// Heddle finds this procedure before the host's (support/pmpi_spy.hpp).
extern "C" __attribute__((visibility("default"))) int PMPI_Init(int* argc, char*** argv) {
  const auto hosts = reinterpret_cast<int (*)(int*, char***)>(heddle::test::of_host("PMPI_Init"));
  const int code = hosts(argc, argv);
  limit();
  return code;
}

int main(int argc, char** argv) {
  alarm(300);
  int only = -1;
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], "only=", 5) == 0) only = std::atoi(argv[i] + 5);
  if (only < 0 || only == rank_of_environment())
    for (int i = 1; i < argc; ++i) refuse(std::string_view(argv[i]));
  MPI_Init(&argc, &argv);
  if (locked) check(resident_mib() < 400 ? "" : "much more memory than the library alone locks");
  int rank = 0, size = 0, anywhere = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc; ++i)
    if (const std::string_view word = argv[i]; word.starts_with("first=")) first_call(word.substr(6), size);
  heddle::test::each_large({2 * KiB, 9 * KiB, 200 * KiB, 2 * MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t n) {
    for (std::uint32_t way = 0; way < 4; ++way) exchange(rank, size, pair, bytes, 4 * n + way);
  });
  flood(rank, size);
  MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s\n", anywhere ? "some results are wrong" : "all results are right");
  MPI_Finalize();
  return anywhere;
}
