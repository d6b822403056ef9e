// Errors of requests: the results of completion calls, and the statuses. The calls of the program's
// handler: requests_error_handlers.cpp.
#include "support/completions.hpp"
#include "support/scattered.hpp"

namespace heddle::test::requests_errors_tests {
namespace {

const std::vector<std::size_t> places = {0, 2, 5, 7, 11, 12, 20, 23};  // of `scattered`

/// Rank 0 sends a message that is too long, then one that fits. Rank 1 has posted receives for
/// both, and completes them.
template <class Complete>
void truncated(const Team& team, Complete complete) {
  const Committed type(scattered);
  const ReturningErrors returning(team.comm);
  const ReturningErrors rows_too(MPI_COMM_WORLD), rows_as_well(MPI_COMM_SELF);  // where MPICH raises MPI_ERR_IN_STATUS
  if (team.rank == 0) {
    MPI_Barrier(team.comm);
    const std::vector<int> plain = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    MPI_Send(plain.data(), 10, MPI_INT, 1, 1, team.comm);
    MPI_Send(plain.data(), 8, MPI_INT, 1, 2, team.comm);
  } else {
    std::vector<std::vector<int>> numbers(2, std::vector<int>(24, -1));
    std::vector<MPI_Request> requests(3, MPI_REQUEST_NULL);
    std::vector<MPI_Status> statuses(3);
    for (MPI_Status& status : statuses) status.MPI_ERROR = -79;
    MPI_Irecv(numbers[0].data(), 1, type, 0, 1, team.comm, &requests[0]);
    MPI_Irecv(numbers[1].data(), 1, type, 0, 2, team.comm, &requests[1]);
    MPI_Barrier(team.comm);
    complete(requests, statuses);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < 24; ++i) {
      const auto k = std::ranges::find(places, i) - places.begin();
      const int expected = k < 8 ? static_cast<int>(k) : -1;
      EXPECT_EQ(numbers[1][i], expected);
      if (k == 8) {
        EXPECT_EQ(numbers[0][i], -1);  // a truncated message touches only its own places
      }
    }
  }
  MPI_Barrier(team.comm);
}

/// All places of the scattered type hold `number`.
bool holds_everywhere(const std::vector<int>& numbers, int number) {
  return std::ranges::all_of(places, [&](std::size_t place) { return numbers[place] == number; });
}

/// The later requests have succeeded, or are pending and succeed now. MPI_Waitall may end at the
/// first failure.
void rest_succeeds(std::vector<MPI_Request>& requests, std::vector<MPI_Status>& statuses) {
  for (std::size_t i = 1; i < requests.size(); ++i) {
    if (error_class(statuses[i].MPI_ERROR) != MPI_ERR_PENDING)
      EXPECT_EQ(statuses[i].MPI_ERROR, MPI_SUCCESS) << i;
    else
      succeeds(MPI_Wait(&requests[i], &statuses[i]));
  }
}

}  // namespace

TEST_RANKS(2, RequestErrors, TruncationInWaitall) {
  truncated(team, [](auto& requests, auto& statuses) {
    EXPECT_EQ(error_class(MPI_Waitall(3, requests.data(), statuses.data())), MPI_ERR_IN_STATUS);
    EXPECT_EQ(error_class(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
    rest_succeeds(requests, statuses);
    EXPECT_EQ(statuses[1].MPI_TAG, 2);
  });
#if defined(OPEN_MPI)
  if (expected() != Expected::on) return;  // Open MPI 5.0.11 alone returns success, and leaves the request
#endif
  truncated(team, [](auto& requests, auto& statuses) {
    EXPECT_NE(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    statuses[1].MPI_ERROR = requests[1] == MPI_REQUEST_NULL ? MPI_SUCCESS : MPI_ERR_PENDING;
    statuses[2].MPI_ERROR = MPI_SUCCESS;
    rest_succeeds(requests, statuses);
  });
}

// Receives that Heddle follows without putting data in place, completed together. A message that is
// too long is an error, announced or not. The next message is right.
TEST_RANKS(2, RequestErrors, TruncationOfShortReceivesWithoutStatuses) {
  if (expected() != Expected::on) return;  // Open MPI 5.0.11 alone returns success, and leaves the request
  constexpr int room = 64, whole = 30000;
  for (const bool announced : {false, true}) {
    const ReturningErrors returning(team.comm), rows_too(MPI_COMM_WORLD), rows_as_well(MPI_COMM_SELF);
    if (team.rank == 0) {
      const Committed column("vector(30000, 1, 2, int)");
      std::vector<int> numbers(2 * whole);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
      MPI_Barrier(team.comm);
      if (announced)
        MPI_Send(numbers.data(), 1, column, 1, 1, team.comm);
      else
        MPI_Send(numbers.data(), room + 36, MPI_INT, 1, 1, team.comm);
      MPI_Send(numbers.data(), room, MPI_INT, 1, 2, team.comm);
    } else {
      std::vector<std::vector<int>> numbers(2, std::vector<int>(room + 8, -1));
      std::vector<MPI_Request> requests(2, MPI_REQUEST_NULL);
      for (int i = 0; i < 2; ++i)
        MPI_Irecv(numbers[static_cast<std::size_t>(i)].data(), room, MPI_INT, 0, i + 1, team.comm,
                  &requests[static_cast<std::size_t>(i)]);
      MPI_Barrier(team.comm);
      EXPECT_NE(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS) << announced;
      succeeds(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
      EXPECT_EQ(requests[0], MPI_REQUEST_NULL);
      for (int i = 0; i < room; ++i) EXPECT_EQ(numbers[1][static_cast<std::size_t>(i)], i);
      for (const std::vector<int>& each : numbers)
        for (std::size_t i = room; i < each.size(); ++i) EXPECT_EQ(each[i], -1) << "beyond the receive";
    }
    MPI_Barrier(team.comm);
  }
}

TEST_RANKS(2, RequestErrors, TruncationBesideRequestsOfTheHost) {
  truncated(team, [&](auto& requests, auto& statuses) {
    int one = 1, other = 0;
    MPI_Irecv(&other, 1, MPI_INT, team.rank, 9, team.comm, &requests[2]);
    MPI_Send(&one, 1, MPI_INT, team.rank, 9, team.comm);
    EXPECT_EQ(error_class(MPI_Waitall(3, requests.data(), statuses.data())), MPI_ERR_IN_STATUS);
    EXPECT_EQ(error_class(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
    rest_succeeds(requests, statuses);
    EXPECT_EQ(statuses[2].MPI_TAG, 9);
    EXPECT_EQ(other, 1);
  });
}

TEST_RANKS(2, RequestErrors, TruncationInWaitAndTest) {
  truncated(team, [](auto& requests, auto& statuses) {
    EXPECT_EQ(error_class(MPI_Wait(&requests[0], &statuses[0])), MPI_ERR_TRUNCATE);
    EXPECT_EQ(statuses[0].MPI_ERROR, -79);  // a call for one request leaves the field alone
    EXPECT_EQ(MPI_Wait(&requests[1], &statuses[1]), MPI_SUCCESS);
    EXPECT_EQ(statuses[1].MPI_ERROR, -79);
  });
  truncated(team, [](auto& requests, auto& statuses) {
    int flag = 0, error = MPI_SUCCESS;
    while (!flag && error == MPI_SUCCESS) error = MPI_Test(&requests[0], &flag, &statuses[0]);
    EXPECT_EQ(error_class(error), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

TEST_RANKS(2, RequestErrors, TruncationInAnyAndSome) {
  truncated(team, [](auto& requests, auto& statuses) {
    int failed = 0, index = -1;
    for (int k = 0; k < 2; ++k) {
      const int error = MPI_Waitany(3, requests.data(), &index, &statuses[0]);
      EXPECT_EQ(error_class(error), index == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
      failed += error != MPI_SUCCESS;
    }
    EXPECT_EQ(failed, 1);
  });
  truncated(team, [](auto& requests, auto& statuses) {
    int done = 0, failed = 0, outcount = 0, indices[3];
    while (done < 2) {
      const int error = MPI_Testsome(3, requests.data(), &outcount, indices, statuses.data());
      if (error != MPI_SUCCESS) {
        EXPECT_EQ(error_class(error), MPI_ERR_IN_STATUS);
      }
      for (int k = 0; k < outcount; ++k, ++done) {
        if (error != MPI_SUCCESS) {
          const int expected = indices[k] == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
          EXPECT_EQ(error_class(statuses[static_cast<std::size_t>(k)].MPI_ERROR), expected);
          failed += expected != MPI_SUCCESS;
        }
      }
    }
    EXPECT_EQ(failed, 1);
  });
}

TEST_RANKS(2, RequestErrors, TruncationAfterGetStatus) {
  truncated(team, [](auto& requests, auto& statuses) {
    int flag = 0;
    while (!flag) MPI_Request_get_status(requests[0], &flag, &statuses[0]);
    EXPECT_EQ(error_class(MPI_Wait(&requests[0], &statuses[0])), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
  });
}

#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
/// An error of one request does not touch the others: each request has its own error when it is
/// completed.
TEST_RANKS(2, RequestErrors, TruncationInGetStatusOfSeveral) {
  // MPICH 5.0.2 alone does not report it for messages that it announces itself
  if (expected() != Expected::on) return;
  for (const bool all : {true, false}) {
    const Committed large("vector(50000, 1, 2, int)");
    const ReturningErrors returning(team.comm), rows_too(MPI_COMM_WORLD), rows_as_well(MPI_COMM_SELF);
    std::vector<int> numbers(100000);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    if (team.rank == 0) {
      MPI_Barrier(team.comm);
      for (const int tag : {1, 2, 3}) MPI_Send(numbers.data(), 1, large, 1, tag, team.comm);
    } else {
      const Committed half("vector(25000, 1, 2, int)");
      std::vector<std::vector<int>> into(3, std::vector<int>(100000, -1));
      std::vector<MPI_Request> requests(3);
      std::vector<MPI_Status> statuses(3);
      for (std::size_t i = 0; i < 3; ++i)
        MPI_Irecv(into[i].data(), 1, i == 0 ? half : large, 0, static_cast<int>(i) + 1, team.comm, &requests[i]);
      MPI_Barrier(team.comm);
      int flag = 0, error = MPI_SUCCESS, n = 0, indices[3];
      if (all) {
        while (!flag && error == MPI_SUCCESS) error = MPI_Request_get_status_all(3, requests.data(), &flag, statuses.data());
        EXPECT_EQ(error_class(error), MPI_ERR_IN_STATUS);
        EXPECT_EQ(error_class(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
        EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
        EXPECT_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
      } else {
        while (error == MPI_SUCCESS) error = MPI_Request_get_status_some(3, requests.data(), &n, indices, statuses.data());
        EXPECT_EQ(error_class(error), MPI_ERR_IN_STATUS);
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
          EXPECT_EQ(error_class(statuses[k].MPI_ERROR), indices[k] == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
      }
      EXPECT_EQ(error_class(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
      for (std::size_t i = 1; i < 3; ++i) {
        succeeds(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        for (std::size_t k = 0; k < 100000; ++k) ASSERT_EQ(into[i][k], k % 2 == 0 ? static_cast<int>(k) : -1) << i;
      }
    }
    MPI_Barrier(team.comm);
  }
}
#endif

/// The library gets the requests of the row that are not Heddle's. The message is there by then,
/// and Open MPI 5.0.11 alone misses the error.
TEST_RANKS(2, RequestErrors, TruncationInARowWithoutStatuses) {
  if (expected() != Expected::on) return;
  const Committed type(scattered);
  const ReturningErrors returning(team.comm), rows_too(MPI_COMM_WORLD), rows_as_well(MPI_COMM_SELF);
  std::vector<int> numbers(24, 7), short_ones(5, -1), last(1);
  if (team.rank == 0) {
    MPI_Barrier(team.comm);
    for (const int tag : {1, 2}) MPI_Send(numbers.data(), 1, type, 1, tag, team.comm);
    for (const int tag : {3, 4}) MPI_Send(numbers.data(), tag == 3 ? 6 : 1, MPI_INT, 1, tag, team.comm);
  } else {
    std::vector<std::vector<int>> into(2, std::vector<int>(24, -1));
    MPI_Request requests[3];
    for (int i = 0; i < 2; ++i) MPI_Irecv(into[static_cast<std::size_t>(i)].data(), 1, type, 0, i + 1, team.comm, &requests[i]);
    MPI_Irecv(short_ones.data(), 5, MPI_INT, 0, 3, team.comm, &requests[2]);
    MPI_Barrier(team.comm);
    MPI_Recv(last.data(), 1, MPI_INT, 0, 4, team.comm, MPI_STATUS_IGNORE);  // so the other messages have come, too
    EXPECT_NE(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
    for (const std::vector<int>& one : into) EXPECT_TRUE(holds_everywhere(one, 7));
  }
  MPI_Barrier(team.comm);
}

/// Null and inactive requests of a row have an empty status, whatever fails beside them (MPI-5.0
/// §3.7.5).
TEST_RANKS(2, RequestErrors, StatusesOfNullAndInactiveOnesBesideATruncation) {
  if (expected() != Expected::on) return;  // MPICH 5.0.2 alone does not set the statuses behind the failure
  truncated(team, [&](auto& requests, auto& statuses) {
    int never = 0;
    MPI_Recv_init(&never, 1, MPI_INT, 0, 9, team.comm, &requests[2]);
    requests.push_back(MPI_REQUEST_NULL);
    statuses.resize(4, statuses[0]);
    for (MPI_Status& status : statuses) status.MPI_TAG = status.MPI_SOURCE = 77;
    EXPECT_EQ(error_class(MPI_Waitall(4, requests.data(), statuses.data())), MPI_ERR_IN_STATUS);
    for (const std::size_t i : {2U, 3U}) {
      EXPECT_EQ(statuses[i].MPI_ERROR, MPI_SUCCESS) << i;
      EXPECT_EQ(statuses[i].MPI_TAG, MPI_ANY_TAG) << i;
      EXPECT_EQ(statuses[i].MPI_SOURCE, MPI_ANY_SOURCE) << i;
    }
    MPI_Request_free(&requests[2]);
    rest_succeeds(requests, statuses);
  });
}

TEST_RANKS(2, RequestErrors, OfAPersistentReceive) {
  const Committed type(scattered);
  const ReturningErrors returning(team.comm);
  std::vector<int> numbers(24, 4);
  if (team.rank == 0) {
    MPI_Send(numbers.data(), 9, MPI_INT, 1, 3, team.comm);
    MPI_Send(numbers.data(), 8, MPI_INT, 1, 3, team.comm);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    std::ranges::fill(numbers, -1);
    MPI_Recv_init(numbers.data(), 1, type, 0, 3, team.comm, &request);
    const MPI_Request handle = request;
    MPI_Start(&request);
    EXPECT_EQ(error_class(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
    if (request == handle) {  // an error may cost the request
      succeeds(MPI_Start(&request));
      succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
      EXPECT_EQ(numbers[23], 4);
      MPI_Request_free(&request);
    } else {
      MPI_Recv(numbers.data(), 24, MPI_INT, 0, 3, team.comm, MPI_STATUS_IGNORE);
    }
  }
}

TEST_RANKS(1, RequestErrors, MistakesHaveTheHostsClass) {
  const ReturningErrors returning(team.comm);
  const Committed type(scattered);
  std::vector<int> data(24);
  MPI_Request request = MPI_REQUEST_NULL;
#define SAME_MISTAKE(name, ...)                                                                                         \
  EXPECT_EQ(error_class(MPI_##name(__VA_ARGS__)), error_class(PMPI_##name(__VA_ARGS__))) << #name "(" #__VA_ARGS__ ")"; \
  EXPECT_NE(MPI_##name(__VA_ARGS__), MPI_SUCCESS) << #name "(" #__VA_ARGS__ ")"
  SAME_MISTAKE(Isend, data.data(), -1, type, 0, 1, team.comm, &request);
  SAME_MISTAKE(Isend, data.data(), 1, type, 7, 1, team.comm, &request);
  SAME_MISTAKE(Isend, data.data(), 1, type, 0, -5, team.comm, &request);
  SAME_MISTAKE(Issend, data.data(), 1, MPI_DATATYPE_NULL, 0, 1, team.comm, &request);
  SAME_MISTAKE(Irecv, data.data(), -1, type, 0, 1, team.comm, &request);
  SAME_MISTAKE(Irecv, data.data(), 1, type, 9, 1, team.comm, &request);
  SAME_MISTAKE(Send_init, data.data(), 1, type, 9, 1, team.comm, &request);
  SAME_MISTAKE(Recv_init, data.data(), -2, type, 0, 1, team.comm, &request);
  SAME_MISTAKE(Isendrecv, data.data(), 1, type, 5, 1, data.data(), 1, type, 0, 1, team.comm, &request);
#undef SAME_MISTAKE
}

}  // namespace heddle::test::requests_errors_tests
