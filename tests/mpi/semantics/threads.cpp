// MPI_THREAD_MULTIPLE: four threads of each rank make, use and free datatypes at once, on
// communicators of their own.
#include <thread>

#include "support/rounds.hpp"

namespace heddle::test::threads_tests {

TEST_EACH_RANKS(2, 4, Threads, FourAtOnce) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  constexpr int threads = 4;
  std::vector<Team> teams(threads, team);
  for (Team& each : teams) MPI_Comm_dup(team.comm, &each.comm);
  std::vector<std::string> wrong(threads);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const Team& mine = teams[static_cast<std::size_t>(t)];
      std::string& complaint = wrong[static_cast<std::size_t>(t)];
      for (int number = 0; number < rounds(25); ++number) {
        Round r(mine, static_cast<std::uint32_t>(1000 * t + number));
        const Count units = std::clamp<Count>(r.units, 1, 6);
        const Side out = random_side(r.own, r.unit, units), in = random_side(r.own, r.unit, units);
        const int next = (mine.rank + 1) % mine.size, previous = (mine.rank + mine.size - 1) % mine.size;
        Area sent(blocks(out, 1), 3), got(blocks(in, 1), 4), all(blocks(in, mine.size), 5);
        sent.put(0, r.from(mine.rank, next, sent.size(0)));
        MPI_Sendrecv(sent.base(), out.number(), out.type, next, t, got.base(), in.number(), in.type, previous, t, mine.comm,
                     MPI_STATUS_IGNORE);
        got.expect(0, r.from(previous, mine.rank, got.size(0)));
        if (!got.as_expected()) complaint += "Sendrecv: " + got.difference() + "; ";
        MPI_Allgather(sent.base(), out.number(), out.type, all.base(), in.number(), in.type, mine.comm);
        for (int i = 0; i < mine.size; ++i)
          all.expect(static_cast<std::size_t>(i), r.from(i, (i + 1) % mine.size, all.size(0)));
        if (!all.as_expected()) complaint += "Allgather: " + all.difference() + "; ";
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const std::string& complaint : wrong) EXPECT_EQ(complaint, "");
  for (Team& each : teams) MPI_Comm_free(&each.comm);
}

}  // namespace heddle::test::threads_tests
