// Point-to-point messages and their receives: the order of matching, statuses, lengths that differ,
// MPI_PROC_NULL and the rank itself.
#include <numeric>

#include "support/columns.hpp"

namespace heddle::test::messages_matched_tests {

TEST_RANKS(2, MatchedMessages, ShorterThanTheReceiveLeaveTheRestAlone) {
  const Committed type = column();
  for (const int sent : {0, 1, 2, 3, 4, 30, 59, 60}) {
    std::vector<int> numbers = counted(1000);
    if (team.rank == 0) {
      std::vector<int> plain(60);
      std::iota(plain.begin(), plain.end(), 0);
      MPI_Send(plain.data(), sent, MPI_INT, 1, tag, team.comm);
    } else {
      MPI_Status status = marked();
      EXPECT_EQ(MPI_Recv(numbers.data(), 1, type, 0, tag, team.comm, &status), MPI_SUCCESS);
      for (int k = 0; k < sent; ++k) EXPECT_EQ(numbers[place(k)], k);
      for (int k = sent; k < 60; ++k) EXPECT_EQ(numbers[place(k)], 1000 + static_cast<int>(place(k)));
      for (std::size_t i = 0; i < 100; ++i)
        if (!in_column(i)) {
          EXPECT_EQ(numbers[i], 1000 + static_cast<int>(i));
        }
      int count = -1, elements = -1;
      MPI_Get_count(&status, type, &count);
      MPI_Get_elements(&status, type, &elements);
      EXPECT_EQ(count, sent == 60 ? 1 : sent == 0 ? 0 : MPI_UNDEFINED);
      EXPECT_EQ(elements, sent);
    }
  }
}

TEST_RANKS(2, MatchedMessages, LongerThanTheReceiveAreTruncated) {
  const Committed type = column();
  const ReturningErrors returning(team.comm);
  for (const int rows : {1, 2}) {
    std::vector<int> numbers = counted();
    if (team.rank == 0) {
      const std::vector<int> plain(200, 5);
      MPI_Send(plain.data(), 61 * rows, MPI_INT, 1, tag, team.comm);
    } else {
      MPI_Status status = marked();
      const int code = MPI_Recv(numbers.data(), 1, type, 0, tag, team.comm, &status);
      EXPECT_EQ(error_class(code), MPI_ERR_TRUNCATE);
      EXPECT_EQ(status.MPI_SOURCE, 0);
      EXPECT_EQ(status.MPI_TAG, tag);
      for (std::size_t i = 0; i < 100; ++i)
        if (!in_column(i)) {
          EXPECT_EQ(numbers[i], static_cast<int>(i));
        }
    }
    // The next message is not disturbed.
    if (team.rank == 0) {
      MPI_Send(numbers.data(), 1, type, 1, tag, team.comm);
    } else {
      std::vector<int> plain(60);
      EXPECT_EQ(MPI_Recv(plain.data(), 60, MPI_INT, 0, tag, team.comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
      EXPECT_EQ(plain[59], static_cast<int>(place(59)));
    }
  }
}

TEST_RANKS(2, MatchedMessages, MatchInOrderAmongTags) {
  const Committed type = column();
  if (team.rank == 0) {
    for (int i = 0; i < 8; ++i) {
      const std::vector<int> numbers = counted(100 * i);
      MPI_Send(numbers.data(), 1, type, 1, i % 2, team.comm);
    }
    return;
  }
  for (const int i : {1, 3, 0, 5, 7, 2, 4, 6}) {  // in order for each tag
    std::vector<int> plain(60);
    MPI_Recv(plain.data(), 60, MPI_INT, 0, i % 2, team.comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(plain[0], 100 * i);
  }
}

TEST_RANKS(4, MatchedMessages, WildcardsSeeWhoSent) {
  const Committed type = column();
  if (team.rank > 0) {
    const std::vector<int> numbers = counted(1000 * team.rank);
    MPI_Send(numbers.data(), 1, type, 0, 10 + team.rank, team.comm);
    return;
  }
  std::vector<bool> seen(4, false);
  for (int i = 1; i < 4; ++i) {
    std::vector<int> numbers(100, -1);
    MPI_Status status = marked();
    EXPECT_EQ(MPI_Recv(numbers.data(), 1, type, MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &status), MPI_SUCCESS);
    EXPECT_EQ(status.MPI_TAG, 10 + status.MPI_SOURCE);
    EXPECT_EQ(numbers[0], 1000 * status.MPI_SOURCE);
    EXPECT_FALSE(seen[static_cast<std::size_t>(status.MPI_SOURCE)]);
    seen[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
  }
}

TEST_RANKS(1, MatchedMessages, ToNobody) {
  const Committed type = column();
  std::vector<int> numbers = counted();
  MPI_Status status = marked();
  EXPECT_EQ(MPI_Send(numbers.data(), 1, type, MPI_PROC_NULL, tag, team.comm), MPI_SUCCESS);
  EXPECT_EQ(MPI_Ssend(numbers.data(), 1, type, MPI_PROC_NULL, tag, team.comm), MPI_SUCCESS);
  EXPECT_EQ(MPI_Recv(numbers.data(), 1, type, MPI_PROC_NULL, tag, team.comm, &status), MPI_SUCCESS);
  int count = -1;
  MPI_Get_count(&status, type, &count);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(status.MPI_TAG, MPI_ANY_TAG);
  EXPECT_EQ(count, 0);
  status = marked();
  EXPECT_EQ(MPI_Sendrecv(numbers.data(), 1, type, MPI_PROC_NULL, tag, numbers.data(), 1, type, MPI_PROC_NULL, tag, team.comm,
                         &status),
            MPI_SUCCESS);
  EXPECT_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  EXPECT_EQ(MPI_Sendrecv_replace(numbers.data(), 1, type, MPI_PROC_NULL, tag, MPI_PROC_NULL, tag, team.comm, &status),
            MPI_SUCCESS);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(MPI_PROC_NULL, tag, team.comm, &message, &status);
  EXPECT_EQ(message, MPI_MESSAGE_NO_PROC);
  EXPECT_EQ(MPI_Mrecv(numbers.data(), 1, type, &message, &status), MPI_SUCCESS);
  EXPECT_EQ(numbers, counted());
}

// A message that is too long for its receive is an error on its communicator, or on MPI_COMM_WORLD
// (MPICH), and on no other.
TEST_RANKS(4, MatchedMessages, AMatchedOneThatIsTooLong) {
  const ReturningErrors returning(team.comm), world(MPI_COMM_WORLD);
  for (const int length : {10, 300, 3000, 100'000})
    for (const bool at_once : {true, false}) {
      std::vector<int> numbers(static_cast<std::size_t>(length));  // Open MPI 5.0.11 writes behind a short receive
      if (team.rank == 0) {
        MPI_Send(numbers.data(), length, MPI_INT, team.size - 1, tag, team.comm);
      } else if (team.rank == team.size - 1) {
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Status status = marked();
        MPI_Mprobe(0, tag, team.comm, &message, &status);
        MPI_Request request = MPI_REQUEST_NULL;
        int error = MPI_SUCCESS;
        if (at_once) {
          error = MPI_Mrecv(numbers.data(), length / 2, MPI_INT, &message, &status);
        } else {
          error = MPI_Imrecv(numbers.data(), length / 2, MPI_INT, &message, &request);
          if (error == MPI_SUCCESS) error = MPI_Wait(&request, &status);
        }
        EXPECT_EQ(error_class(error), MPI_ERR_TRUNCATE) << length << ", at once: " << at_once;
        EXPECT_EQ(status.MPI_SOURCE, 0);
        EXPECT_EQ(status.MPI_TAG, tag);
      }
      MPI_Barrier(team.comm);
    }
}

TEST_RANKS(2, MatchedMessages, HalfToNobody) {
  const Committed type = column();
  std::vector<int> numbers = counted(1000 * team.rank), got(100, -1);
  MPI_Status status = marked();
  const bool sends = team.rank == 0;
  EXPECT_EQ(MPI_Sendrecv(numbers.data(), 1, type, sends ? 1 : MPI_PROC_NULL, tag, got.data(), 1, type,
                         sends ? MPI_PROC_NULL : 0, tag, team.comm, &status),
            MPI_SUCCESS);
  EXPECT_EQ(got[place(7)], sends ? -1 : static_cast<int>(place(7)));
  EXPECT_EQ(got[3], -1);
}

TEST_RANKS(1, MatchedMessages, ToOneself) {
  const Committed type = column();
  std::vector<int> numbers = counted(), got(60, -1);
  EXPECT_EQ(MPI_Sendrecv(numbers.data(), 1, type, 0, tag, got.data(), 60, MPI_INT, 0, tag, team.comm, MPI_STATUS_IGNORE),
            MPI_SUCCESS);
  for (int k = 0; k < 60; ++k) EXPECT_EQ(got[static_cast<std::size_t>(k)], static_cast<int>(place(k)));
  EXPECT_EQ(MPI_Sendrecv_replace(numbers.data(), 1, type, 0, tag, 0, tag, team.comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
  EXPECT_EQ(numbers, counted());
}

}  // namespace heddle::test::messages_matched_tests
