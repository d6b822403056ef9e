// destructor: the program ends in the destructor of a global object that is older than main. There
// it sends messages of all kinds, makes collectives, frees communicators and groups, and calls
// MPI_Finalize. 2 ranks. Ends with 0 if every element arrived.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::MiB;
using heddle::test::Shape;

namespace {

int wrong = 0;

void expect(const std::string& complaint) {
  if (complaint.empty()) return;
  std::printf("wrong: %s\n", complaint.c_str());
  ++wrong;
}

/// Uses each kind of object that Heddle keeps for the process.
void talk(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (const std::size_t bytes : {2 * KiB, 300 * KiB, 2 * MiB}) {
    Large out(Shape::columns, bytes), in(Shape::rows, bytes);
    out.fill(static_cast<std::uint32_t>(rank));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.base(), out.count(), out.type(), 1 - rank, 1, comm, &request);
    MPI_Probe(1 - rank, 1, comm, MPI_STATUS_IGNORE);
    MPI_Recv(in.base(), in.count(), in.type(), 1 - rank, 1, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(in.wrong(static_cast<std::uint32_t>(1 - rank)));
    in.clear();
    MPI_Sendrecv(out.base(), out.count(), out.type(), 1 - rank, 1, in.base(), in.count(), in.type(), 1 - rank, 1, comm,
                 MPI_STATUS_IGNORE);
    expect(in.wrong(static_cast<std::uint32_t>(1 - rank)));
    Large all(Shape::contiguous, 2 * bytes);
    int counts[] = {in.ints(), in.ints()}, starts[] = {0, in.ints()};
    MPI_Allgatherv(out.base(), out.count(), out.type(), all.base(), counts, starts, MPI_INT, comm);
  }
}

struct Last {
  ~Last() {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized) return;
    talk(MPI_COMM_WORLD);
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    talk(made);
    talk(kept);
    MPI_Comm_free(&kept);
    MPI_Group_free(&some);
    void* memory = nullptr;
    MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &memory);
    MPI_Free_mem(memory);
    MPI_Finalize();
    if (wrong == 0) std::printf("right\n");
    std::fflush(nullptr);
    _exit(wrong != 0);  // the exit of MPICH 5.0.2 after this is killed now and then, without Heddle, too
  }
  MPI_Comm kept = MPI_COMM_NULL;
  MPI_Group some = MPI_GROUP_NULL;
};
Last last;

}  // namespace

int main(int argc, char** argv) {
  alarm(200);
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &last.kept);
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const int first = 0;
  MPI_Group_incl(all, 1, &first, &last.some);
  MPI_Group_free(&all);
  talk(MPI_COMM_WORLD);
  talk(last.kept);
  return 0;
}
