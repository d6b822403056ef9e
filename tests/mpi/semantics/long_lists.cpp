// Messages of long index lists: the data are right, whether the host or Heddle carries the message.
#include <algorithm>
#include <array>
#include <vector>

#include "support/completions.hpp"

namespace heddle::test {
namespace {

constexpr int tag = 17;

}  // namespace

// The first message of a long list is the host's, the next are Heddle's: by the same handle, by
// another, by a persistent request. The longest list is not remembered.
TEST_RANKS(4, LongLists, MadeAnewAndKept) {
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  for (const int n : {10'000, 10'001, 600'000}) {
    const std::size_t end = 3 * static_cast<std::size_t>(n);
    std::vector<int> places(static_cast<std::size_t>(n)), sent(end), received(end);
    for (int i = 0; i < n; ++i) places[static_cast<std::size_t>(i)] = 3 * i + i % 2;
    const auto made = [&] {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_create_indexed_block(n, 1, places.data(), MPI_INT, &type);
      return Committed(type);
    };
    int turn = 0;
    const auto exchange = [&](MPI_Datatype out, int count, MPI_Datatype in, auto go) {
      ++turn;
      for (std::size_t i = 0; i < end; ++i) sent[i] = static_cast<int>(i) + turn + team.rank;
      received.assign(end, -1);
      go(out, count, in);
      const bool dense = in == MPI_INT;
      int wrong = 0;
      for (int i = 0; i < n; ++i) {
        const int place = places[static_cast<std::size_t>(i)];
        wrong += received[static_cast<std::size_t>(dense ? i : place)] != place + turn + previous;
        if (!dense) received[static_cast<std::size_t>(place)] = -1;
      }
      if (!dense) wrong += static_cast<int>(end) - static_cast<int>(std::ranges::count(received, -1));
      EXPECT_EQ(wrong, 0) << n << " entries, exchange " << turn;
    };
    const auto at_once = [&](MPI_Datatype out, int count, MPI_Datatype in) {
      succeeds(MPI_Sendrecv(sent.data(), 1, out, next, tag, received.data(), count, in, previous, tag, team.comm,
                            MPI_STATUS_IGNORE));
    };
    const auto by_requests = [&](MPI_Datatype out, int count, MPI_Datatype in) {
      std::array<MPI_Request, 2> requests{};
      succeeds(MPI_Irecv(received.data(), count, in, previous, tag, team.comm, &requests[0]));
      succeeds(MPI_Isend(sent.data(), 1, out, next, tag, team.comm, &requests[1]));
      succeeds(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
    };
    const auto persistently = [&](MPI_Datatype out, int count, MPI_Datatype in) {
      std::array<MPI_Request, 2> requests{};
      succeeds(MPI_Recv_init(received.data(), count, in, previous, tag, team.comm, &requests[0]));
      succeeds(MPI_Send_init(sent.data(), 1, out, next, tag, team.comm, &requests[1]));
      succeeds(MPI_Startall(2, requests.data()));
      succeeds(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE));
      for (MPI_Request& request : requests) MPI_Request_free(&request);
    };
    for (int times = 0; times < 3; ++times) exchange(made(), n, MPI_INT, at_once);
    const Committed out = made(), in = made();
    for (int times = 0; times < 3; ++times) exchange(out, 1, in, by_requests);
    for (int times = 0; times < 2; ++times) exchange(made(), 1, made(), persistently);
    for (int times = 0; times < 2; ++times) exchange(made(), 1, made(), at_once);
  }
}

}  // namespace heddle::test
