// Two ranks send to each other before either receives. Programs must not rely on that, but many do
// below the eager limit of their host. Such programs must still work under Heddle.
#include "traps/large.hpp"

namespace heddle::test::eager_tests {
namespace {

constexpr int tag = 4;

/// The size up to which each host is known to send eagerly within a node, for any type.
#if defined(OPEN_MPI)
constexpr std::size_t eager = 3 * KiB;
#else
constexpr std::size_t eager = 6 * KiB;
#endif

}  // namespace

TEST_EACH_RANKS(2, 4, Eager, HeadToHeadSends) {
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  each_large({KiB, eager}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large out(pair.sent, bytes), in(pair.received, bytes);
    for (std::uint32_t turn = 0; turn < 5; ++turn) {
      in.clear();
      out.fill(1000 * number + 10 * turn + static_cast<std::uint32_t>(team.rank));
      MPI_Send(out.base(), out.count(), out.type(), next, tag, team.comm);
      MPI_Recv(in.base(), in.count(), in.type(), previous, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(1000 * number + 10 * turn + static_cast<std::uint32_t>(previous)), "");
    }
  });
}

TEST_RANKS(2, Eager, SeveralSendsBeforeTheFirstReceive) {
  Large out(Shape::pairs, eager), in(Shape::rows, eager);
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      out.fill(10 * turn + i);
      MPI_Send(out.base(), out.count(), out.type(), 1 - team.rank, tag, team.comm);
    }
    for (std::uint32_t i = 0; i < 4; ++i) {
      in.clear();
      MPI_Recv(in.base(), in.count(), in.type(), 1 - team.rank, tag, team.comm, MPI_STATUS_IGNORE);
      EXPECT_EQ(in.wrong(10 * turn + i), "");
    }
  }
}

/// MPI_Bsend buffers messages of any size.
TEST_RANKS(2, Eager, HeadToHeadBufferedSends) {
  std::vector<char> room(6 * MiB);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  each_large({8 * KiB, 200 * KiB, 4 * MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large out(pair.sent, bytes), in(pair.received, bytes);
    out.fill(2 * number + static_cast<std::uint32_t>(team.rank));
    MPI_Bsend(out.base(), out.count(), out.type(), 1 - team.rank, tag, team.comm);
    out.fill(999);
    MPI_Recv(in.base(), in.count(), in.type(), 1 - team.rank, tag, team.comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(2 * number + 1 - static_cast<std::uint32_t>(team.rank)), "");
    MPI_Barrier(team.comm);
  });
  void* returned = nullptr;
  int size = 0;
  MPI_Buffer_detach(&returned, &size);
}

}  // namespace heddle::test::eager_tests
