// Receives that overlap, and a program that writes where it receives. MPI forbids both, but every
// library carries such programs. Each receive ends, its status tells the size of its message, and
// memory of a single receive has the right data. A receiver that has lost an announcement gets no
// further announcements, so each test has a receiver of its own.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

#include "traps/large.hpp"

namespace heddle::test::overlapping_tests {
namespace {

constexpr int tag = 31, tags = 3;
constexpr int window = 24;

/// Message i of rank `from`. There are three sizes and three tags.
std::unique_ptr<Large> message(int from, int i) {
  constexpr std::size_t sizes[] = {9 * KiB, 48 * KiB, 150 * KiB};
  auto data = std::make_unique<Large>(Shape::columns, sizes[i % 3]);
  data->fill(static_cast<std::uint32_t>(100 * from + i));
  return data;
}
int tag_of(int i) { return tag + i / 3 % tags; }
int bytes_of(int i) { return message(0, i)->bytes(); }
std::size_t room() { return static_cast<std::size_t>(bytes_of(2)); }

class Window {
 public:
  void send(const Team& team, int to, int count = window) {
    for (int i = 0; i < count; ++i) {
      data_.push_back(message(team.rank, i));
      Large& one = *data_.back();
      MPI_Isend(one.base(), one.count(), one.type(), to, tag_of(i), team.comm, &requests_.emplace_back());
    }
  }
  void receive(const Team& team, std::byte* at, int from, int i) {
    MPI_Irecv(at, static_cast<int>(room()), MPI_BYTE, from, tag_of(i), team.comm, &requests_.emplace_back());
  }
  void start() { MPI_Startall(static_cast<int>(requests_.size()), requests_.data()); }
  MPI_Request& last() { return requests_.emplace_back(); }
  std::vector<MPI_Status> wait() {
    std::vector<MPI_Status> statuses(requests_.size());
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), statuses.data());
    return statuses;
  }
  std::vector<MPI_Request> requests_;

 private:
  std::vector<std::unique_ptr<Large>> data_;
};

int bytes(const MPI_Status& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  return bytes;
}

/// Compares with message i of rank `from`, as one piece.
bool is(const std::byte* at, int from, int i, std::size_t begin = 0) {
  Large whole(Shape::contiguous, static_cast<std::size_t>(bytes_of(i)));
  whole.fill(static_cast<std::uint32_t>(100 * from + i));
  const auto length = static_cast<std::size_t>(whole.bytes());
  return std::memcmp(at + begin, reinterpret_cast<const std::byte*>(whole.base()) + begin, length - begin) == 0;
}

bool several_threads() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

}  // namespace

/// Receives as bandwidth benchmarks post them. One receive among them has a buffer of its own.
TEST_RANKS(4, Overlapping, AWindowOfOneBuffer) {
  constexpr int receiver = 1, apart = 7;
  Window all;
  if (team.rank == receiver) {
    std::vector<std::byte> shared(room()), own(room());
    for (int i = 0; i < window; ++i) all.receive(team, i == apart ? own.data() : shared.data(), 0, i);
    MPI_Barrier(team.comm);
    const std::vector<MPI_Status> statuses = all.wait();
    for (int i = 0; i < window; ++i) EXPECT_EQ(bytes(statuses[static_cast<std::size_t>(i)]), bytes_of(i)) << i;
    EXPECT_TRUE(is(own.data(), 0, apart));
  } else {
    MPI_Barrier(team.comm);
    if (team.rank == 0) all.send(team, receiver);
    all.wait();
  }
  MPI_Barrier(team.comm);
}

/// Each receive begins within the announcement of the one before. The receives are completed from
/// the back, and started again.
TEST_RANKS(4, Overlapping, PersistentReceivesThatOverlapInPart) {
  constexpr int receiver = 2, rounds = 2, step = 64;
  std::vector<std::byte> memory(room() + window * step);
  Window all;
  if (team.rank == receiver)
    for (int i = 0; i < window; ++i)
      MPI_Recv_init(memory.data() + (window - i) * step, static_cast<int>(room()), MPI_BYTE, 0, tag_of(i), team.comm,
                    &all.last());
  for (int round = 0; round < rounds; ++round) {
    if (team.rank == receiver) all.start();
    MPI_Barrier(team.comm);
    if (team.rank == 0) all.send(team, receiver);
    if (team.rank == receiver) {
      for (int i = window; i-- > 0;) {
        MPI_Status status;
        MPI_Wait(&all.requests_[static_cast<std::size_t>(i)], &status);
        EXPECT_EQ(bytes(status), bytes_of(i)) << i;
      }
    } else {
      all.wait();
      all = Window();
    }
  }
  if (team.rank == receiver)
    for (MPI_Request& request : all.requests_) MPI_Request_free(&request);
  MPI_Barrier(team.comm);
}

/// Receives from any rank into one buffer, while a short message comes there and the program
/// writes.
TEST_RANKS(4, Overlapping, SeveralSendersAndTheProgramItself) {
  constexpr int receiver = 3, each = 6, wild = 3, first = 2;
  constexpr std::size_t dirty = 512;
  Window all;
  if (team.rank == receiver) {
    std::vector<std::byte> shared(room()), written(room());
    all.receive(team, written.data(), 0, first);
    for (int i = 0; i < each; ++i)
      for (int from = 0; from < receiver; ++from) all.receive(team, shared.data(), i < wild ? MPI_ANY_SOURCE : from, i);
    MPI_Barrier(team.comm);
    MPI_Recv(shared.data(), 64, MPI_BYTE, 0, tag + tags, team.comm, MPI_STATUS_IGNORE);
    std::memset(written.data(), 1, dirty);
    const std::vector<MPI_Status> statuses = all.wait();
    EXPECT_EQ(bytes(statuses[0]), bytes_of(first));
    EXPECT_TRUE(is(written.data(), 0, first, dirty));
    int from_anybody = 0, expected = 0;
    for (int i = 0; i < each; ++i)
      for (int from = 0; from < receiver; ++from) {
        const int arrived = bytes(statuses[static_cast<std::size_t>(1 + receiver * i + from)]);
        if (i >= wild) {
          EXPECT_EQ(arrived, bytes_of(i));
          continue;
        }
        from_anybody += arrived;
        expected += bytes_of(i);
      }
    EXPECT_EQ(from_anybody, expected);
  } else {
    MPI_Barrier(team.comm);
    const std::unique_ptr<Large> one = message(0, first);
    if (team.rank == 0) MPI_Isend(one->base(), one->count(), one->type(), receiver, tag_of(first), team.comm, &all.last());
    all.send(team, receiver, each);
    if (team.rank == 0) MPI_Send("a short one", 12, MPI_BYTE, receiver, tag + tags, team.comm);
    all.wait();
  }
  MPI_Barrier(team.comm);
}

/// One thread receives into a buffer in which a receive is under way. Another thread receives
/// elsewhere.
TEST_RANKS(4, Overlapping, ThreadsThatShareABuffer) {
  constexpr int receiver = 0, rounds = 4;
  if (!several_threads()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  if (team.rank == receiver) {
    std::vector<std::byte> shared(room()), own(room());
    Window all;
    for (int i = 0; i < rounds; ++i) all.receive(team, shared.data(), 1, i);
    const auto here = [&](int from, std::byte* at) {
      MPI_Status status;
      for (int i = 0; i < rounds; ++i) {
        MPI_Recv(at, static_cast<int>(room()), MPI_BYTE, from, tag_of(i), team.comm, &status);
        EXPECT_EQ(bytes(status), bytes_of(i));
        if (at == own.data()) {
          EXPECT_TRUE(is(at, from, i));
        }
      }
    };
    std::thread over(here, 2, shared.data()), apart(here, 3, own.data());
    over.join();
    apart.join();
    const std::vector<MPI_Status> statuses = all.wait();
    for (int i = 0; i < rounds; ++i) EXPECT_EQ(bytes(statuses[static_cast<std::size_t>(i)]), bytes_of(i));
  } else {
    Window all;
    all.send(team, receiver, rounds);
    all.wait();
  }
  MPI_Barrier(team.comm);
}

/// Blocks of a collective that overlap. Four ranks have lost an announcement before, and four have
/// not.
TEST_RANKS(8, Overlapping, BlocksOfACollective) {
  constexpr int block = 1 << 12, ranks = 8;
  const std::vector<int> counts(ranks, 1), nowhere(ranks, 0);
  std::vector<int> places(ranks), out(2 * block, team.rank), in(block + ranks, -1);
  std::iota(places.begin(), places.end(), 0);
  MPI_Datatype strided = MPI_DATATYPE_NULL, piece = MPI_DATATYPE_NULL, near = MPI_DATATYPE_NULL;
  MPI_Type_vector(block, 1, 2, MPI_INT, &strided);
  MPI_Type_commit(&strided);
  MPI_Type_contiguous(block, MPI_INT, &piece);
  MPI_Type_create_resized(piece, 0, sizeof(int), &near);
  MPI_Type_commit(&near);
  MPI_Alltoallv(out.data(), counts.data(), nowhere.data(), strided, in.data(), counts.data(), places.data(), near, team.comm);
  EXPECT_EQ(in.front(), 0) << "of the first block alone";
  EXPECT_EQ(in[block + ranks - 2], ranks - 1) << "of the last one";
  in.pop_back();
  EXPECT_TRUE(std::ranges::all_of(in, [](int each) { return each >= 0 && each < ranks; }));
  for (MPI_Datatype* type : {&strided, &piece, &near}) MPI_Type_free(type);
}

}  // namespace heddle::test::overlapping_tests
