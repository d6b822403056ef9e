// Counts and sizes beyond 2^31. The program's memory is a few megabytes, mapped many times, so only
// Heddle's own staging buffers, if any, cost memory. (The _c forms of the collectives are in
// compared.cpp.)
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "support/build_type.hpp"
#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::large_counts_tests {
namespace {

/// `span` bytes of address space that show the same `window` bytes many times.
class Wrapped {
 public:
  Wrapped(std::size_t span, std::size_t window) : span_((span + window - 1) / window * window), window_(window) {
    const int file = memfd_create("wrapped", MFD_CLOEXEC);
    void* reserved = mmap(nullptr, span_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file < 0 || reserved == MAP_FAILED || ftruncate(file, static_cast<off_t>(window)) != 0) return;
    for (std::size_t at = 0; at < span_; at += window)
      if (mmap(static_cast<char*>(reserved) + at, window, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) ==
          MAP_FAILED)
        return;
    close(file);
    data_ = static_cast<unsigned char*>(reserved);
  }
  Wrapped(const Wrapped&) = delete;
  Wrapped& operator=(const Wrapped&) = delete;
  ~Wrapped() {
    if (data_) munmap(data_, span_);
  }
  [[nodiscard]] unsigned char* data() const { return data_; }
  unsigned char& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] std::size_t window() const { return window_; }

 private:
  std::size_t span_, window_;
  unsigned char* data_ = nullptr;
};

constexpr std::size_t mega = std::size_t{1} << 20;

unsigned char pattern(std::size_t i) { return static_cast<unsigned char>(i * 2654435761U >> 13); }

/// True on all ranks if the runs that take long are wanted, and each rank's node has that many
/// megabytes.
bool may_take(const Team& team, std::size_t megabytes, bool mapped) {
  std::size_t available = 0;
  std::ifstream facts("/proc/meminfo");
  for (std::string line; std::getline(facts, line);)
    if (line.starts_with("MemAvailable:")) available = std::strtoul(line.c_str() + 13, nullptr, 10) / 1024;
  const int can = std::getenv("TEST_LARGE") && mapped && available > megabytes;
  int all_can = 0;
  MPI_Allreduce(&can, &all_can, 1, MPI_INT, MPI_MIN, team.comm);
  return all_can != 0;
}

}  // namespace

/// The only claim about large counts that holds in every version of MPI.
TEST_RANKS(1, LargeCounts, TypesOfMoreThanTwoGigabytesHaveTheirSize) {
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Datatype matrix = MPI_DATATYPE_NULL;
  MPI_Type_vector(1 << 10, 1, 2, MPI_INT, &row);
  MPI_Type_contiguous(1 << 20, row, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Count size = 0;
  EXPECT_EQ(MPI_Type_size_x(matrix, &size), MPI_SUCCESS);
  EXPECT_EQ(size, MPI_Count{1} << 32);
  MPI_Type_free(&matrix);
  MPI_Type_free(&row);
}

/// One element of a type has more than 2^31 bytes with holes. The calls of MPI-3 can send it: as a
/// message, by a request, and as a block of MPI_Alltoallw.
TEST_RANKS(2, LargeCounts, ElementOfMoreThanTwoGigabytes) {
  if constexpr (sizeof(void*) < 8) GTEST_SKIP();
  constexpr std::size_t rows = 2049, row = mega, stride = mega + 4096;
  const Wrapped memory(rows * stride, 16 * stride);
  if (!may_take(team, 8192, memory.data() != nullptr)) GTEST_SKIP() << "takes 8 GB of memory, and time: TEST_LARGE=1";
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(rows, row, stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  unsigned char* const x = memory.data();
  const int sent[] = {0, 1 - team.rank}, received[] = {team.rank, 0}, places[] = {0, 0};
  const MPI_Datatype types[] = {type, type};
  const auto value = [](std::size_t i, int call) { return static_cast<unsigned char>(pattern(i) + call); };
  for (int call = 0; call < 3; ++call) {
    for (std::size_t i = 0; i < memory.window(); ++i) memory[i] = team.rank == 0 ? value(i, call) : 7;
    MPI_Request request = MPI_REQUEST_NULL;
    if (call == 2)
      EXPECT_EQ(MPI_Alltoallw(x, sent, places, types, x, received, places, types, team.comm), MPI_SUCCESS);
    else if (team.rank == 0)
      EXPECT_EQ(call ? MPI_Isend(x, 1, type, 1, call, team.comm, &request) : MPI_Send(x, 1, type, 1, call, team.comm),
                MPI_SUCCESS);
    else
      EXPECT_EQ(call ? MPI_Irecv(x, 1, type, 0, call, team.comm, &request)
                     : MPI_Recv(x, 1, type, 0, call, team.comm, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    std::size_t wrong = 0;
    for (std::size_t i = 0; team.rank == 1 && i < memory.window(); ++i)
      wrong += memory[i] != (i % stride < row ? value(i, call) : 7);
    EXPECT_EQ(wrong, 0U) << call;
    MPI_Barrier(team.comm);
  }
  MPI_Type_free(&type);
}

}  // namespace heddle::test::large_counts_tests

#if HOST_LARGE_COUNTS

namespace heddle::test::large_counts_tests {

using layout::Count;

TEST_RANKS(1, LargeCounts, PackAndUnpackMoreThanTwoGigabytes) {
  if (expected() != Expected::on) GTEST_SKIP() << "half a minute of the host's";
  const Committed type("resized(contiguous(2, int), 0, 12)");
  const Count count = (Count{1} << 28) + 3, bytes = 8 * count;
  const Wrapped memory(static_cast<std::size_t>(12 * count), 12 * mega), packed(static_cast<std::size_t>(bytes), 8 * mega);
  if (!memory.data() || !packed.data()) GTEST_SKIP() << "no address space";
  for (std::size_t i = 0; i < memory.window(); ++i) memory[i] = pattern(i);
  MPI_Count position = 0, size = 0;
  EXPECT_EQ(MPI_Pack_size_c(count, type, team.comm, &size), MPI_SUCCESS);
  EXPECT_GE(size, bytes);
  EXPECT_EQ(MPI_Pack_c(memory.data(), count, type, packed.data(), bytes, &position, team.comm), MPI_SUCCESS);
  EXPECT_EQ(position, bytes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < packed.window(); ++i) wrong += packed[i] != pattern(i / 8 * 12 + i % 8);
  EXPECT_EQ(wrong, 0U);

  std::memset(memory.data(), 7, memory.window());
  position = 0;
  EXPECT_EQ(MPI_Unpack_c(packed.data(), bytes, &position, memory.data(), count, type, team.comm), MPI_SUCCESS);
  EXPECT_EQ(position, bytes);
  for (std::size_t i = 0; i < memory.window(); ++i) wrong += memory[i] != (i % 12 < 8 ? pattern(i) : 7);
  EXPECT_EQ(wrong, 0U);
}

TEST_RANKS(2, LargeCounts, MessageOfMoreThanTwoBillionElements) {
  if (expected() != Expected::on) GTEST_SKIP() << "half a minute of the host's";
  const Committed type("resized(char, 0, 2)");
  const Count count = (Count{1} << 31) + 6;
  const Wrapped memory(static_cast<std::size_t>(2 * count), 32 * mega);
  if (!may_take(team, 10000, memory.data() != nullptr)) GTEST_SKIP() << "takes 10 GB of memory, and time: TEST_LARGE=1";
  for (std::size_t i = 0; i < memory.window(); ++i) memory[i] = team.rank == 0 ? pattern(i) : 7;
  const long before = pmpi_spy::derived();
  if (team.rank == 0) {
    EXPECT_EQ(MPI_Send_c(memory.data(), count, type, 1, 3, team.comm), MPI_SUCCESS);
  } else {
    MPI_Status status;
    EXPECT_EQ(MPI_Recv_c(memory.data(), count, type, 0, 3, team.comm, &status), MPI_SUCCESS);
    MPI_Count got = 0;
    MPI_Get_count_c(&status, type, &got);
    EXPECT_EQ(got, count);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < memory.window(); ++i) wrong += memory[i] != (i % 2 == 0 ? pattern(i) : 7);
    EXPECT_EQ(wrong, 0U);
  }
  EXPECT_EQ(pmpi_spy::derived(), before);  // the host has seen only packed bytes
}

}  // namespace heddle::test::large_counts_tests

#endif
