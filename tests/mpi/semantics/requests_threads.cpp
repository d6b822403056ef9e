// MPI_THREAD_MULTIPLE: four threads of each rank make and complete requests at once, and pass
// handles to each other.
#include <thread>

#include "support/completions.hpp"

namespace heddle::test::requests_threads_tests {

TEST_EACH_RANKS(1, 4, RequestThreads, FourAtOnce) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  constexpr int threads = 4;
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(team.comm, &comm);
  std::vector<int> wrong(threads, 0);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const MPI_Comm comm = comms[static_cast<std::size_t>(t)];
      const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
      const Choices choices = choices_of(run_seed() + static_cast<std::uint32_t>(t), 2000);
      Chooser choose(choices);
      constexpr std::size_t messages = 5;
      std::vector<std::vector<int>> out(messages), in(messages);
      std::vector<MPI_Request> requests(2 * messages + 1);
      for (int number = 0; number < rounds(60); ++number) {
        for (std::size_t m = 0; m < messages; ++m) {
          const int tag = static_cast<int>(m);
          const std::size_t count = number % 10 == 0 ? 2000 : 3;
          out[m].assign(24 * count, 1000 * t + 10 * number + tag);
          in[m].assign(24 * count, -1);
          MPI_Irecv(in[m].data(), static_cast<int>(count), type, previous, tag, comm, &requests[m]);
        }
        for (std::size_t m = 0; m < messages; ++m)
          MPI_Isend(out[m].data(), static_cast<int>(out[m].size() / 24), type, next, static_cast<int>(m), comm,
                    &requests[m + messages]);
        MPI_Isend(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, comm, &requests[2 * messages]);
        complete(random_completion(choose), requests, choose, [](int, const MPI_Status*) {});
        for (std::size_t m = 0; m < messages; ++m)
          for (std::size_t i = 0; i < in[m].size(); ++i) {
            const std::size_t place = i % 24;
            const bool data = place == 0 || place == 2 || place == 5 || place == 7 || place == 11 || place == 12 ||
                              place == 20 || place == 23;
            wrong[static_cast<std::size_t>(t)] += in[m][i] != (data ? 1000 * t + 10 * number + static_cast<int>(m) : -1);
          }
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(threads, 0));
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

/// Threads complete rows of short requests, which are the host's alone, and of longer ones. The
/// host gives a handle that one thread has completed to another thread at once.
TEST_EACH_RANKS(1, 2, RequestThreads, HandlesGoRoundAmongLongRows) {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  constexpr int threads = 3;
  constexpr std::size_t many = 40;
  const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
  const int to = (team.rank + 1) % team.size, from = (team.rank + team.size - 1) % team.size;
  std::vector<MPI_Comm> comms(threads);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(team.comm, &comm);
  std::vector<int> wrong(threads, 0);
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      const MPI_Comm comm = comms[static_cast<std::size_t>(t)];
      const Choices choices = choices_of(run_seed() + static_cast<std::uint32_t>(t), 2000);
      Chooser choose(choices);
      std::vector<int> in(24 * many), plain(8);
      std::vector<MPI_Request> requests(many);
      for (int number = 0; number < rounds(30); ++number) {
        std::ranges::fill(in, -1);
        const auto scattered = [&](std::size_t i) { return (i + static_cast<std::size_t>(number)) % 3 != 0; };
        for (std::size_t i = 0; i < many; ++i)
          MPI_Irecv(&in[24 * i], scattered(i) ? 1 : 8, scattered(i) ? static_cast<MPI_Datatype>(type) : MPI_INT, from,
                    static_cast<int>(i), comm, &requests[i]);
        for (std::size_t i = 0; i < many; ++i) {
          plain.assign(8, 1000 * number + static_cast<int>(i));
          MPI_Send(plain.data(), 8, MPI_INT, to, static_cast<int>(i), comm);
        }
        complete(random_completion(choose), requests, choose, [](int, const MPI_Status*) {});
        for (std::size_t i = 0; i < many; ++i)
          wrong[static_cast<std::size_t>(t)] += in[24 * i + (scattered(i) ? 23 : 7)] != 1000 * number + static_cast<int>(i);
      }
    });
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(threads, 0));
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace heddle::test::requests_threads_tests
