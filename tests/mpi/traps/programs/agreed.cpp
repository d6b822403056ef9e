// agreed: ranks of four nodes with a core for each of them change over from one algorithm of MPI_Alltoallv to another at the
// same call, while volumes change; with HEDDLE_CHECK=on each call compares. Prints what was chosen from which call on.
//
// agreed unlike: rank 1 means other counts than all others in MPI_Allgatherv, which the standard forbids. For HEDDLE_CHECK=on.
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

/// Heddle finds this one before libc's: a core for each rank, as on larger machines, where rounds are worth it.
extern "C" __attribute__((visibility("default"))) int sched_getaffinity(pid_t /*pid*/, std::size_t size,
                                                                        cpu_set_t* set) noexcept {
  CPU_ZERO_S(size, set);
  for (int i = 0; i < 64; ++i) CPU_SET_S(i, size, set);
  return 0;
}

/// And before the host's: every fourth rank is on one node.
extern "C" __attribute__((visibility("default"))) int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                                                           MPI_Comm* made) {
  if (type != MPI_COMM_TYPE_SHARED) {
    const auto hosts =
        reinterpret_cast<int (*)(MPI_Comm, int, int, MPI_Info, MPI_Comm*)>(dlsym(RTLD_NEXT, "PMPI_Comm_split_type"));
    return hosts(comm, type, key, info, made);
  }
  int me = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  return PMPI_Comm_split(comm, me % 4, key, made);
}

namespace {

int rank = 0;
int ranks = 0;

std::string chosen(MPI_Comm comm) {
  MPI_Info info = MPI_INFO_NULL;
  std::array<char, 64> text{};
  int there = 0;
  MPI_Comm_get_info(comm, &info);
  MPI_Info_get(info, "heddle_alltoallv_chosen", static_cast<int>(text.size()) - 1, text.data(), &there);
  MPI_Info_free(&info);
  return there ? text.data() : "nothing";
}

/// `each` ints to so many ranks ahead. False: something wrong has come.
bool exchange(MPI_Comm comm, int each, int partners, int call) {
  const auto all = static_cast<std::size_t>(ranks);
  std::vector<int> to(all, 0), from(all, 0), places(all);
  std::vector<int> out(all * static_cast<std::size_t>(each)), in(out.size(), -1), wanted(out.size(), -1);
  for (std::size_t i = 0; i < all; ++i) {
    const int ahead = (static_cast<int>(i) - rank + ranks) % ranks;
    const int behind = ahead == 0 ? 0 : ranks - ahead;
    places[i] = static_cast<int>(i) * each;
    if (ahead > 0 && ahead <= partners) to[i] = each;
    if (behind > 0 && behind <= partners) from[i] = each;
    for (int k = 0; k < each; ++k) {
      const std::size_t at = i * static_cast<std::size_t>(each) + static_cast<std::size_t>(k);
      out[at] = 10000 * rank + 100 * static_cast<int>(i) + call % 100;
      if (from[i] > 0) wanted[at] = 10000 * static_cast<int>(i) + 100 * rank + call % 100;
    }
  }
  MPI_Alltoallv(out.data(), to.data(), places.data(), MPI_INT, in.data(), from.data(), places.data(), MPI_INT, comm);
  return in == wanted;
}

int change_over() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "heddle_alltoallv", "auto");
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
  MPI_Info_free(&info);
  bool right = true;
  std::string story;
  std::string last;
  for (int call = 0; call < 200; ++call) {
    if (call % 17 == rank) usleep(500);  // one is late
    const bool dense = call < 61 || call >= 122;
    right = exchange(comm, dense ? 2 : 100, dense ? ranks - 1 : 1, call) && right;
    const std::string now = chosen(comm);
    if (now != last) story += now + " from call " + std::to_string(call) + ", ";
    last = now;
  }
  std::array<char, 256> mine{};
  story.copy(mine.data(), mine.size() - 1);
  std::vector<char> all(mine.size() * static_cast<std::size_t>(ranks));
  MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, all.data(), static_cast<int>(mine.size()), MPI_CHAR,
                comm);
  for (int i = 0; i < ranks; ++i) right = right && story == all.data() + mine.size() * static_cast<std::size_t>(i);
  MPI_Comm_free(&comm);
  int wrong = right ? 0 : 1;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%s%s\n", story.c_str(), wrong ? "and not alike on all ranks, or wrong" : "all alike");
  return wrong;
}

void unlike() {
  std::vector<int> counts(static_cast<std::size_t>(ranks), 2000), places(counts.size());
  if (rank == 1) counts[0] = 400000;
  std::size_t end = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    places[i] = static_cast<int>(end);
    end += static_cast<std::size_t>(counts[i]);
  }
  std::vector<int> in(end), out(2000);
  MPI_Allgatherv(out.data(), 2000, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
  if (rank == 0) std::printf("nobody has noticed\n");
}

}  // namespace

int main(int argc, char** argv) {
  alarm(100);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int result = 0;
  if (argc > 1 && std::strcmp(argv[1], "unlike") == 0)
    unlike();
  else
    result = change_over();
  MPI_Finalize();
  return result;
}
