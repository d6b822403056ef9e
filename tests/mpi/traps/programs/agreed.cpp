// agreed: ranks of four nodes, with a core for each, change from one algorithm of MPI_Alltoallv to
// another at the same call, while volumes change. Each call compares if HEDDLE_CHECK=on. Prints
// each algorithm and its first call.
//
// agreed unlike FORM: rank 1 has other counts than all other ranks, or calls another collective,
// which the standard forbids. For HEDDLE_CHECK=on.
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "support/nodes.hpp"

/// This program's PMPI_ names mean the host (src/interposition).
extern "C" {
__attribute__((visibility("default"))) extern const int heddle_pmpi_is_host;
const int heddle_pmpi_is_host = 1;
}

/// Heddle finds this function before libc's. It gives each rank a core, as on larger machines,
/// where rounds are worth it.
extern "C" __attribute__((visibility("default"))) int sched_getaffinity(pid_t /*pid*/, std::size_t size,
                                                                        cpu_set_t* set) noexcept {
  CPU_ZERO_S(size, set);
  for (int i = 0; i < 64; ++i) CPU_SET_S(i, size, set);
  return 0;
}

/// Deals the ranks to four nodes in turn.
extern "C" __attribute__((visibility("default"))) int uname(utsname* system) noexcept {
  return heddle::test::uname_of_node(4, system);
}
extern "C" __attribute__((visibility("default"))) int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                                                                           MPI_Comm* made) {
  if (type != MPI_COMM_TYPE_SHARED) {
    const auto hosts =
        reinterpret_cast<int (*)(MPI_Comm, int, int, MPI_Info, MPI_Comm*)>(heddle::test::of_host("PMPI_Comm_split_type"));
    return hosts(comm, type, key, info, made);
  }
  return heddle::test::split_by_nodes(4, comm, key, made);
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

/// Sends `each` ints to each of the `partners` next ranks. False: wrong data have come.
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
  for (int call = 0; call < 450; ++call) {
    if (call % 17 == rank) usleep(500);  // one rank is late
    const bool dense = call < 122 || call >= 200;
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

/// Rank 1 makes another call than the others.
void unlike(const std::string& form) {
  const bool other = rank == 1;
  const auto all = static_cast<std::size_t>(ranks);
  std::vector<int> counts(all, 20000), places(counts.size()), bytes(counts.size());
  if (other && form == "gather") counts.assign(counts.size(), 1), counts[0] = 20000;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    places[i] = 20000 * static_cast<int>(i);
    bytes[i] = 4 * places[i];
  }
  const std::vector<MPI_Datatype> types(all, MPI_INT);
  std::vector<int> in(20000 * all), out(20000 * all);
  MPI_Request request = MPI_REQUEST_NULL;
  const int mine = counts[static_cast<std::size_t>(rank)];
  const auto alltoallw = [&](auto call, auto... last) {
    call(out.data(), counts.data(), bytes.data(), types.data(), in.data(), counts.data(), bytes.data(), types.data(),
         MPI_COMM_WORLD, last...);
  };
  const auto alltoallv = [&](auto call, const void* from, auto... last) {
    call(from, counts.data(), places.data(), MPI_INT, in.data(), counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD,
         last...);
  };
  if (form == "gather") {
    MPI_Allgatherv(out.data(), mine, MPI_INT, in.data(), counts.data(), places.data(), MPI_INT, MPI_COMM_WORLD);
  } else if (form == "short") {
    const int n = other ? 10 : 20000;
    MPI_Ialltoall(out.data(), n, MPI_INT, in.data(), n, MPI_INT, MPI_COMM_WORLD, &request);
  } else if (form == "in-place") {
    alltoallv(MPI_Alltoallv, other ? MPI_IN_PLACE : out.data());
  } else if (form == "kept") {
    if (other)
      alltoallv(MPI_Alltoallv_init, out.data(), MPI_INFO_NULL, &request);
    else
      alltoallw(MPI_Alltoallw_init, MPI_INFO_NULL, &request);
  } else if (form == "started") {
    if (other)
      alltoallv(MPI_Alltoallv, out.data());
    else
      alltoallw(MPI_Ialltoallw, &request);
  } else if (form == "neighbours") {
    MPI_Comm ring = MPI_COMM_NULL;
    const int periodic = 1;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    if (other)
      MPI_Neighbor_allgather(out.data(), 10, MPI_INT, in.data(), 10, MPI_INT, ring);
    else
      MPI_Neighbor_alltoall(out.data(), 10, MPI_INT, in.data(), 10, MPI_INT, ring);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) std::printf("nobody has noticed\n");
}

}  // namespace

int main(int argc, char** argv) {
  alarm(300);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int result = 0;
  if (argc > 1 && std::strcmp(argv[1], "unlike") == 0)
    unlike(argc > 2 ? argv[2] : "gather");
  else
    result = change_over();
  MPI_Finalize();
  return result;
}
