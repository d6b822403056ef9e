// attached [attaches|none]: messages with holes out of memory that the receiver may attach by XPMEM
// (HEDDLE_TRANSPORTS), and out of memory that it cannot attach. The results must be right in any
// case. 2 ranks.
//
//   attaches    goes on until both ranks have attached memory
//   none        it must not have attached any
#include <dlfcn.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

int rank = 0, wrong = 0;

constexpr int blocks = 4096, length = 16, ints = 2 * blocks * length;  // 256 KiB of data

/// Memory of `ints` ints in a file, which the library that stands in for XPMEM can attach.
int* in_file(void* at = nullptr) {
  constexpr std::size_t bytes = ints * sizeof(int);
  const int file = memfd_create("attached", MFD_CLOEXEC);  // stays open: the library looks for it
  if (ftruncate(file, bytes) != 0) std::exit(2);
  void* const memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), file, 0);
  if (memory == MAP_FAILED) std::exit(2);
  return static_cast<int*>(memory);
}

void fill(int* out, int from) {
  for (int i = 0; i < ints; ++i) out[i] = from + i;
}

void check(const char* what, const std::vector<int>& in, int from) {
  for (int i = 0; i < ints; ++i)
    if (in[static_cast<std::size_t>(i)] != (i / length % 2 == 0 ? from + i : -1)) {
      std::printf("wrong: %s, rank %d, int %d\n", what, rank, i);
      wrong = 1;
      return;
    }
}

/// A number of the library that stands in. 0: it is not loaded.
long number(const char* name) {
  void* const library = dlopen("libxpmem.so.0", RTLD_LAZY | RTLD_NOLOAD);
  auto* const function = library ? reinterpret_cast<long (*)()>(dlsym(library, name)) : nullptr;
  return function ? function() : 0;
}

/// Each kind of message to the other rank and back. @param next  Called before each.
template <class Next>
void talk(int* out, MPI_Datatype type, const Next& next) {
  const int other = 1 - rank;
  static int name = 0;
  std::vector<int> in;
  const auto begin = [&] {
    next();
    name += 2;
    fill(out, 1000 * (name + rank));
    in.assign(ints, -1);
  };
  const auto theirs = [&] { return 1000 * (name + other); };
  MPI_Request request = MPI_REQUEST_NULL;

  for (const int first : {0, 1}) {
    begin();
    if (rank == first) MPI_Send(out, 1, type, other, 0, MPI_COMM_WORLD);
    MPI_Recv(in.data(), 1, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != first) MPI_Ssend(out, 1, type, other, 0, MPI_COMM_WORLD);
    check("Send", in, theirs());
  }
  begin();
  MPI_Sendrecv(out, 1, type, other, 0, in.data(), 1, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check("Sendrecv", in, theirs());

  const long before = number("xpmem_stand_in_attaches");
  begin();
  MPI_Isend(out, 1, type, other, 0, MPI_COMM_WORLD, &request);
  MPI_Recv(in.data(), 1, type, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check("Isend", in, theirs());
  if (number("xpmem_stand_in_attaches") != before) {
    std::puts("wrong: the memory of a send that has returned is attached");
    wrong = 1;
  }

  begin();
  int counts[2] = {0, 0}, displacements[2] = {0, 0};
  MPI_Datatype types[2] = {type, type};
  counts[other] = 1;
  MPI_Alltoallw(out, counts, displacements, types, in.data(), counts, displacements, types, MPI_COMM_WORLD);
  check("Alltoallw", in, theirs());
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(blocks, length, 2 * length, MPI_INT, &type);
  MPI_Type_commit(&type);

  int* const shared = in_file();
  std::vector<int> heap(ints);
  const std::string_view wanted = argc > 1 ? argv[1] : "";
  // A sender packs what its receiver does not fetch soon. So there may be many rounds until both
  // ranks have attached memory.
  int again = 1;
  for (int round = 0; again != 0; ++round) {
    talk(shared, type, [] {});
    talk(shared, type, [shared] { in_file(shared); });  // other memory at the same address
    talk(heap.data(), type, [] {});
    again = round < 2 || (wanted == "attaches" && number("xpmem_stand_in_attaches") == 0) ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }

  const long attaches = number("xpmem_stand_in_attaches"), left = number("xpmem_stand_in_attached");
  if ((wanted == "none" && attaches != 0) || left != 0) {
    std::printf("wrong: rank %d has attached memory %ld times, and %ld attachments are left\n", rank, attaches, left);
    wrong = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && wrong == 0) std::puts("all results are right");
  MPI_Type_free(&type);
  MPI_Finalize();
  return wrong;
}
