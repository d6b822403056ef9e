// steady: a call that has been made before allocates nothing. Two ranks. Counts the allocations of
// the thread that calls MPI. Packing allocates nothing. A message of a derived type allocates no
// more than one without holes of the same length.
#include <mpi.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {
thread_local bool counting = false;
thread_local long taken = 0;
void count() { taken += counting; }
}  // namespace

// Replace the C library's functions, for this program and all that it loads.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t number, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);

void* malloc(std::size_t bytes) {
  count();
  return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) {
  count();
  return __libc_calloc(number, bytes);
}
void* realloc(void* old, std::size_t bytes) {
  count();
  return __libc_realloc(old, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  count();
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  count();
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}
}

namespace {

constexpr int warm_up = 100, rounds = 200;

template <class Call>
long taken_by(Call call) {
  for (int i = 0; i < warm_up; ++i) call();
  taken = 0;
  counting = true;
  for (int i = 0; i < rounds; ++i) call();
  counting = false;
  return taken;
}

/// Sends a message there and back.
void ping_pong(int rank, void* buffer, int count, MPI_Datatype type) {
  for (int turn = 0; turn < 2; ++turn) {
    if (turn == rank)
      MPI_Send(buffer, count, type, 1 - rank, 0, MPI_COMM_WORLD);
    else
      MPI_Recv(buffer, count, type, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const int blocks : {8, 100, 10'000}) {  // the last is above HEDDLE_RENDEZVOUS
    constexpr int block = 4, stride = 9;
    std::vector<int> spread(static_cast<std::size_t>(blocks) * stride), packed(static_cast<std::size_t>(blocks) * block);
    const int bytes = blocks * block * static_cast<int>(sizeof(int));
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, block, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    const long pack = taken_by([&] {
      int at = 0;
      MPI_Pack(spread.data(), 1, type, packed.data(), bytes, &at, MPI_COMM_WORLD);
    });
    const long unpack = taken_by([&] {
      int at = 0;
      MPI_Unpack(packed.data(), bytes, &at, spread.data(), 1, type, MPI_COMM_WORLD);
    });
    const long plain = taken_by([&] { ping_pong(rank, packed.data(), bytes, MPI_BYTE); });
    const long derived = taken_by([&] { ping_pong(rank, spread.data(), 1, type); });
    std::printf("rank %d, %d bytes, %d rounds: pack %ld, unpack %ld, contiguous message %ld, derived %ld\n", rank, bytes,
                rounds, pack, unpack, plain, derived);
    wrong |= pack != 0 || unpack != 0 || derived > plain + rounds / 20;  // the host's own lists may still grow
    MPI_Type_free(&type);
  }
  int anywhere = 0;
  MPI_Allreduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}
