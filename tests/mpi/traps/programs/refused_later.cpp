// refused_later WHAT [threads]: messages of datatypes with many blocks, and accesses to a window,
// before and after the system refuses process_vm_readv, first to rank 1 and then to all ranks.
// MPICH alone packs such messages, and carries them all the same. 2 ranks.
//
//   seccomp     a filter on the reading process: EPERM
//   dumpable    the process to read is not dumpable: EPERM, if no process is privileged
//   threads     another thread of each rank exchanges such messages at the same time
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

int rank = 0;
std::atomic<int> wrong{0};

/// Makes the process like a user's: root may read every process.
void drop_privilege() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  if (syscall(SYS_capget, &header, sets) != 0) std::exit(2);
  for (std::uint32_t* each : {&sets[0].effective, &sets[0].permitted, &sets[0].inheritable}) *each &= ~(1u << CAP_SYS_PTRACE);
  if (syscall(SYS_capset, &header, sets) != 0) std::exit(2);
}

void refuse(const char* what) {
  if (std::strcmp(what, "dumpable") == 0) {
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) std::exit(2);
    return;
  }
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) std::exit(2);
}

/// Blocks of `length` ints, each followed by a hole of the same length.
class Blocks {
 public:
  Blocks(int blocks, int length, int elements = 1)
      : length_(length), memory_(static_cast<std::size_t>(2 * blocks * length * elements)) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, length, 2 * length, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, MPI_Aint{8} * blocks * length, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&vector);
  }
  ~Blocks() { MPI_Type_free(&type_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  int* base() { return memory_.data(); }
  MPI_Datatype type() const { return type_; }
  void fill(int from) {
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = in_block(i) ? from + static_cast<int>(i) : -1;
  }
  void clear() { memory_.assign(memory_.size(), -1); }
  /// @param elements  The first value of each element.
  void check(const char* what, const std::vector<int>& elements) {
    const std::size_t each = memory_.size() / elements.size();
    for (std::size_t i = 0; i < memory_.size(); ++i)
      if (memory_[i] != (in_block(i) ? elements[i / each] + static_cast<int>(i % each) : -1)) {
        std::printf("wrong: %s, rank %d, int %zu\n", what, rank, i);
        wrong = 1;
        return;
      }
  }

 private:
  bool in_block(std::size_t i) const { return i / static_cast<std::size_t>(length_) % 2 == 0; }
  int length_;
  std::vector<int> memory_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

void talk(MPI_Comm comm, int blocks, int length) {
  const int other = 1 - rank;
  Blocks out(blocks, length), in(blocks, length), two(blocks, length, 2);
  thread_local int name = 0;
  name += 10;
  const auto begin = [&] {
    out.fill(++name * 2 + rank);
    in.clear();
    two.clear();
  };
  const auto of = [&](int whose) { return name * 2 + whose; };
  MPI_Request both[2];

  begin();
  MPI_Irecv(in.base(), 1, in.type(), other, 0, comm, &both[0]);
  MPI_Isend(out.base(), 1, out.type(), other, 0, comm, &both[1]);
  MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  in.check("Isend", {of(other)});

  begin();
  MPI_Irecv(in.base(), 1, in.type(), other, 0, comm, &both[0]);
  MPI_Ssend(out.base(), 1, out.type(), other, 0, comm);
  MPI_Wait(&both[0], MPI_STATUS_IGNORE);
  in.check("Ssend", {of(other)});

  // Until the message has been received, the sender is in a call of its library, which knows
  // nothing of the message.
  begin();
  MPI_Isend(out.base(), 1, out.type(), other, 0, comm, &both[1]);
  MPI_Recv(in.base(), 1, in.type(), other, 0, comm, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  in.check("Isend and Barrier", {of(other)});

  begin();
  if (rank == 0) MPI_Isend(out.base(), 1, out.type(), 1, 0, comm, &both[1]);
  if (rank == 1) MPI_Recv(in.base(), 1, in.type(), 0, 0, comm, MPI_STATUS_IGNORE);
  MPI_Barrier(comm);
  if (rank == 0) MPI_Wait(&both[1], MPI_STATUS_IGNORE);
  if (rank == 1) in.check("Isend to a rank that receives before a barrier", {of(0)});

  // The receiver is late. Between nodes the sender then gives the packed message to its library.
  begin();
  if (rank == 0) MPI_Send(out.base(), 1, out.type(), 1, 0, comm);
  if (rank == 1) usleep(40000);
  if (rank == 1) MPI_Recv(in.base(), 1, in.type(), 0, 0, comm, MPI_STATUS_IGNORE);
  if (rank == 1) in.check("Send to a late receiver", {of(0)});

  begin();
  MPI_Sendrecv(out.base(), 1, out.type(), other, 0, in.base(), 1, in.type(), other, 0, comm, MPI_STATUS_IGNORE);
  in.check("Sendrecv", {of(other)});

  begin();
  MPI_Allgather(out.base(), 1, out.type(), two.base(), 1, two.type(), comm);
  two.check("Allgather", {of(0), of(1)});

  const int ones[] = {1, 1}, here[] = {0, 0}, bytes[] = {0, 8 * blocks * length};
  MPI_Datatype types[] = {out.type(), out.type()};
  begin();
  MPI_Alltoallw(out.base(), ones, here, types, two.base(), ones, bytes, types, comm);
  two.check("Alltoallw", {of(0), of(1)});

  begin();
  MPI_Ialltoallw(out.base(), ones, here, types, two.base(), ones, bytes, types, comm, &both[0]);
  MPI_Wait(&both[0], MPI_STATUS_IGNORE);
  two.check("Ialltoallw", {of(0), of(1)});
}

/// Puts into the other rank's memory, and gets it back. Open MPI alone fails when the system
/// refuses.
void access([[maybe_unused]] int blocks, [[maybe_unused]] int length) {
#ifndef OPEN_MPI
  const int other = 1 - rank, first = 1000 * length;
  Blocks out(blocks, length), in(blocks, length), exposed(blocks, length);
  out.fill(first + rank);
  in.clear();
  exposed.clear();
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create(exposed.base(), MPI_Aint{8} * blocks * length, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(0, win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, MPI_MODE_NOCHECK, win);
  MPI_Put(out.base(), 1, out.type(), other, 0, 1, out.type(), win);
  MPI_Win_unlock(other, win);
  MPI_Barrier(MPI_COMM_WORLD);
  exposed.check("Put", {first + other});
  MPI_Win_lock(MPI_LOCK_SHARED, other, MPI_MODE_NOCHECK, win);
  MPI_Get(in.base(), 1, in.type(), other, 0, 1, in.type(), win);
  MPI_Win_unlock(other, win);
  in.check("Get", {first + rank});
  MPI_Win_free(&win);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  alarm(300);
  const char* const what = argc > 1 ? argv[1] : "seccomp";
  if (std::strcmp(what, "dumpable") == 0) drop_privilege();
  int level = 0;
  const bool several = argc > 2;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (several && level != MPI_THREAD_MULTIPLE) return MPI_Finalize(), 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  for (int phase = 0; phase < 3; ++phase) {
    if (phase == 2 - rank) refuse(what);
    MPI_Barrier(MPI_COMM_WORLD);
    std::thread other;
    if (several) other = std::thread(talk, twin, 8000, 2);  // 64 KB
    talk(MPI_COMM_WORLD, 3000, 2);                          // 24 KB
    talk(MPI_COMM_WORLD, 60000, 2);                         // 480 KB
    talk(MPI_COMM_WORLD, 1100, 500);                        // 2.2 MB in long blocks, which are cheap to read
    if (other.joinable()) other.join();
    access(3000, 2);
    access(1100, 500);
  }
  MPI_Comm_free(&twin);
  int anywhere = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s\n", anywhere ? "some results are wrong" : "all results are right");
  MPI_Finalize();
  return anywhere;
}
