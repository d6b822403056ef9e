// fibre: messages of all shapes on a stack of 64 KiB with a guard page behind it, as in tasking
// libraries. The host needs a part of the stack, and Heddle gets only the rest. 2 ranks. Ends with
// 0 if every element arrived.
#include <heddle/heddle.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "traps/large.hpp"

using heddle::test::each_large;
using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::MiB;
using heddle::test::Shapes;

namespace {

constexpr std::size_t stack_bytes = 64 * KiB;
int wrong = 0;

void expect(const std::string& complaint) {
  if (complaint.empty()) return;
  std::printf("wrong: %s\n", complaint.c_str());
  ++wrong;
}

/// The send buffer of a message, in memory that peers can map.
class Mapped {
 public:
  explicit Mapped(Large& from) {
    MPI_Aint lower = 0, extent = 0, first = 0, span = 0;
    MPI_Type_get_extent(from.type(), &lower, &extent);
    MPI_Type_get_true_extent(from.type(), &first, &span);
    const MPI_Aint bytes = first + span + extent * (from.count() - 1);
    memory_ = heddle_alloc(static_cast<std::size_t>(bytes));
    std::memcpy(memory_, from.base(), static_cast<std::size_t>(bytes));
  }
  ~Mapped() { heddle_free(memory_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

void talk() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  each_large({2 * KiB, 40 * KiB, 300 * KiB, 3 * MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large out(pair.sent, bytes), in(pair.received, bytes);
    out.fill(number);
    const Mapped mapped(out);
    const auto arrived = [&] {
      expect(in.wrong(number));
      in.clear();
    };
    for (const void* from : {static_cast<const void*>(out.base()), static_cast<const void*>(mapped.get())}) {
      if (rank == 0) {
        MPI_Send(from, out.count(), out.type(), 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(from, out.count(), out.type(), 1, 1, MPI_COMM_WORLD);
      } else {
        MPI_Recv(in.base(), in.count(), in.type(), 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        arrived();
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Irecv(in.base(), in.count(), in.type(), 0, 1, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        arrived();
      }
      MPI_Request requests[2];
      MPI_Irecv(in.base(), in.count(), in.type(), 1 - rank, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(from, out.count(), out.type(), 1 - rank, 1, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      arrived();
      MPI_Sendrecv(from, out.count(), out.type(), 1 - rank, 1, in.base(), in.count(), in.type(), 1 - rank, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      arrived();
    }
  });
}

ucontext_t fibre, back;

}  // namespace

int main(int argc, char** argv) {
  alarm(200);
  MPI_Init(&argc, &argv);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const memory = static_cast<char*>(
      mmap(nullptr, page + stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0));
  mprotect(memory, page, PROT_NONE);
  getcontext(&fibre);
  fibre.uc_stack.ss_sp = memory + page;
  fibre.uc_stack.ss_size = stack_bytes;
  fibre.uc_link = &back;
  makecontext(&fibre, talk, 0);
  swapcontext(&back, &fibre);
  std::size_t untouched = 0;
  while (untouched < stack_bytes && memory[page + untouched] == 0) ++untouched;
  MPI_Finalize();
  std::printf("%s: %zu of %zu KiB of stack\n", wrong ? "wrong" : "right", (stack_bytes - untouched) / KiB, stack_bytes / KiB);
  return wrong;
}
