// Messages of long index lists: the data are right, whether the host or Heddle carries the message.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <vector>

#include "support/completions.hpp"

namespace heddle::test::long_lists_tests {
namespace {

constexpr int tag = 17;

std::atomic<long> questions_about_contents{0};

/// True: a scheme of the fabric is forced that reads or writes each entry of a list by itself. A
/// message of the longest list then takes seconds.
bool each_entry_is_an_access() {
  const char* scheme = std::getenv("HEDDLE_SCHEME");
  return std::getenv("HEDDLE_FABRIC") && scheme &&
         std::string_view("rwg-up p-rrs multi-w").find(scheme) != std::string_view::npos;
}

}  // namespace
}  // namespace heddle::test::long_lists_tests

// Heddle reads the contents of a datatype by these procedures of the library. They count the calls.
extern "C" {
__attribute__((visibility("default"))) int PMPI_Type_get_contents(MPI_Datatype type, int integers, int addresses, int types,
                                                                  int* i, MPI_Aint* a, MPI_Datatype* t) {
  static const auto host = reinterpret_cast<decltype(&PMPI_Type_get_contents)>(heddle::test::of_host("PMPI_Type_get_contents"));
  ++heddle::test::long_lists_tests::questions_about_contents;
  return host(type, integers, addresses, types, i, a, t);
}
#if HOST_LARGE_COUNTS
__attribute__((visibility("default"))) int PMPI_Type_get_contents_c(MPI_Datatype type, MPI_Count integers, MPI_Count addresses,
                                                                    MPI_Count counts, MPI_Count types, int* i, MPI_Aint* a,
                                                                    MPI_Count* c, MPI_Datatype* t) {
  static const auto host =
      reinterpret_cast<decltype(&PMPI_Type_get_contents_c)>(heddle::test::of_host("PMPI_Type_get_contents_c"));
  ++heddle::test::long_lists_tests::questions_about_contents;
  return host(type, integers, addresses, counts, types, i, a, c, t);
}
#endif
}

namespace heddle::test::long_lists_tests {

// The first message of a long list is the host's, the next are Heddle's: by the same handle, by
// another, by a persistent request. The longest list is not remembered.
TEST_RANKS(4, LongLists, MadeAnewAndKept) {
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  std::vector<int> lists{10'000, 10'001};
  if (!each_entry_is_an_access()) lists.push_back(600'000);
  for (const int n : lists) {
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

/// Structs of 20,000 members. The library gets the first message of a struct, and Heddle reads the
/// struct's contents once. Heddle decodes a struct of the same contents, when the program makes it
/// anew, and finds it again after that.
TEST_RANKS(2, LongLists, OfStructsAreDecodedAtTheirSecondMessage) {
  const auto chosen = [](const char* name) {
    const char* value = std::getenv(name);
    return value && std::string_view(value) != "auto";
  };
  if (chosen("HEDDLE_SCHEME") || chosen("HEDDLE_MESSAGES")) GTEST_SKIP() << "Heddle decodes all lists then";
  constexpr int members = 20'000, times = 4;
  const bool on = expected() == Expected::on;
  std::vector<int> lengths(members, 1), sent(2 * members + 1), received(members), wanted(members);
  std::iota(sent.begin(), sent.end(), 0);
  const std::vector<MPI_Datatype> types(members, MPI_INT);
  const auto made = [&](int moved) {
    std::vector<MPI_Aint> places(members);
    for (int i = 0; i < members; ++i) {
      const auto at = static_cast<std::size_t>(i);
      wanted[at] = 2 * i + (i % 16 == moved);
      places[at] = wanted[at] * static_cast<MPI_Aint>(sizeof(int));
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_struct(members, lengths.data(), places.data(), types.data(), &type);
    return Committed(type);
  };
  const auto message = [&](MPI_Datatype type, bool by_host, long questions, const char* what) {
    const long messages = pmpi_spy::derived(), asked = questions_about_contents;
    if (team.rank == 0)
      MPI_Send(sent.data(), 1, type, 1, tag, team.comm);
    else
      MPI_Recv(received.data(), members, MPI_INT, 0, tag, team.comm, MPI_STATUS_IGNORE);
    if (team.rank == 0) {
      EXPECT_EQ(pmpi_spy::derived() - messages, by_host || !on ? 1 : 0) << what;
      EXPECT_LE(questions_about_contents - asked, on ? questions : 0) << what;
    } else {
      EXPECT_EQ(received, wanted) << what;
    }
  };
  for (int i = 0; i < times; ++i) message(made(i), true, 1, "of a new struct");
  message(made(0), false, 2, "of a struct whose contents were seen");
  for (int i = 0; i < times; ++i) message(made(0), false, 1, "of a struct whose contents are known");
  const Committed kept = made(0);
  message(kept, false, 1, "the first of a handle");
  for (int i = 0; i < times; ++i) message(kept, false, 0, "of a known handle");
}

}  // namespace heddle::test::long_lists_tests
