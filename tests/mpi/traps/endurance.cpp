// A hundred thousand large noncontiguous messages. Memory and descriptors do not grow, whatever
// happens to types, requests and communicators meanwhile. TEST_MESSAGES sets another number.
#include <dirent.h>
#include <heddle/heddle.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "traps/large.hpp"

namespace heddle::test::endurance_tests {
namespace {

constexpr int tag = 12;

int messages() {
  const char* wanted = std::getenv("TEST_MESSAGES");
  return wanted ? std::atoi(wanted) : 100000;
}

/// Kilobytes of this process's own memory: VmRSS without shared memory.
long resident_kib() {
  std::ifstream status("/proc/self/status");
  long anonymous = 0;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssAnon:")) anonymous = std::strtol(line.c_str() + 8, nullptr, 10);
  return anonymous;
}
long shared_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("RssShmem:")) return std::strtol(line.c_str() + 9, nullptr, 10);
  return 0;
}
long descriptors() {
  long open = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++open;
  closedir(folder);
  return open;
}

struct Use {
  long resident = resident_kib(), shared = shared_kib(), open = descriptors();
};
void expect_no_growth(const Use& before, const Use& after, const char* where) {
  // The hosts keep requests, types and communicators in pools that grow for a while.
  EXPECT_LE(after.resident, before.resident + 8 * 1024) << where;
  EXPECT_LE(after.shared, before.shared + 16 * 1024) << where;
  EXPECT_LE(after.open, before.open + 2) << where;
}

}  // namespace

TEST_RANKS(2, Endurance, OneWay) {
  Large data(team.rank ? Shape::rows : Shape::pairs, 8 * KiB);
  Use before;
  const int all = messages();
  for (int i = 0; i < all; ++i) {
    if (i == all / 5) before = Use();
    const auto number = static_cast<std::uint32_t>(i % 64);
    if (team.rank == 0) {
      if (i % 1000 == 0) data.fill(number);
      MPI_Send(data.base(), data.count(), data.type(), 1, tag, team.comm);
    } else {
      if (i % 1000 == 0) data.clear();
      MPI_Recv(data.base(), data.count(), data.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
      if (i % 1000 == 0) {
        EXPECT_EQ(data.wrong(number), "");
      }
    }
    if (i % 5000 == 4999) MPI_Barrier(team.comm);  // so the sender does not run ahead without end
  }
  expect_no_growth(before, Use(), "one way");
}

/// Each message has another type, which is freed at once. Now and then there is a communicator and
/// a cancelled receive.
TEST_RANKS(2, Endurance, TypesAndRequestsComeAndGo) {
  Use before;
  const int all = messages() / 10, other = 1 - team.rank;
  std::vector<int> out(40000), in(40000);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(team.comm, &comm);
  for (int i = 0; i < all; ++i) {
    if (i == all / 5) before = Use();
    const int width = 4 + i % 13, rows = 600 + i % 200;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(rows, width, width + 3, MPI_INT, &type);
    MPI_Type_commit(&type);
    out[static_cast<std::size_t>((rows - 1) * (width + 3))] = i;
    MPI_Request requests[2];
    MPI_Isend(out.data(), 1, type, other, tag, comm, &requests[0]);
    if (i % 3 == 0) {
      MPI_Status status;
      MPI_Probe(other, tag, comm, &status);
      int ints = 0;
      MPI_Get_count(&status, MPI_INT, &ints);
      EXPECT_EQ(ints, rows * width);
    }
    MPI_Irecv(in.data(), 1, type, other, tag, comm, &requests[1]);
    MPI_Type_free(&type);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(in[static_cast<std::size_t>((rows - 1) * (width + 3))], i);
    if (i % 50 == 0) {
      MPI_Irecv(in.data(), 10000, MPI_INT, other, tag + 1, comm, &requests[0]);
      MPI_Cancel(&requests[0]);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      MPI_Comm_free(&comm);
      MPI_Comm_dup(team.comm, &comm);
    }
  }
  MPI_Comm_free(&comm);
  expect_no_growth(before, Use(), "types and requests");
}

/// Messages from memory that peers map. The memory is freed as soon as MPI allows, and handed out
/// again, mostly at the same place. No rank may read the old data, and freed memory is given back.
TEST_RANKS(2, Endurance, MemoryComesAndGoes) {
  Use before;
  const int all = std::max(messages() / 100, 200);
  for (int i = 0; i < all; ++i) {
    if (i == all / 5) before = Use();
    const int rows = 256 << i % 4, width = i % 5 ? 32 : 8;  // up to 512 KiB and more: packed, shared, left open
    const auto ints = static_cast<std::size_t>(rows * 2 * width);
    const bool ours = i % 2;
    int* data = nullptr;
    if (ours)
      data = static_cast<int*>(heddle_alloc(ints * sizeof(int)));
    else
      MPI_Alloc_mem(static_cast<MPI_Aint>(ints * sizeof(int)), MPI_INFO_NULL, &data);
    std::fill_n(data, ints, team.rank ? -1 : i);
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(rows, width, 2 * width, MPI_INT, &type);
    MPI_Type_commit(&type);
    if (team.rank == 1) {
      MPI_Recv(data, 1, type, 0, tag, team.comm, MPI_STATUS_IGNORE);
      long wrong = 0;
      for (std::size_t at = 0; at < ints; ++at) wrong += data[at] != (at / static_cast<std::size_t>(width) % 2 ? -1 : i);
      EXPECT_EQ(wrong, 0) << "message " << i;
    } else if (i % 3 == 0) {
      MPI_Send(data, 1, type, 1, tag, team.comm);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      (i % 3 == 1 ? MPI_Isend : MPI_Issend)(data, 1, type, 1, tag, team.comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&type);
    if (ours)
      heddle_free(data);
    else
      MPI_Free_mem(data);
  }
  expect_no_growth(before, Use(), "memory that peers map");
}

}  // namespace heddle::test::endurance_tests
