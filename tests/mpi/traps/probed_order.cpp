// A probe changes nothing: the message keeps its place in the order, its sender waits, and the
// status keeps its error. This holds for every length of an announcement, and for other messages of
// such lengths.
#include <memory>
#include <vector>

#include "traps/large.hpp"

namespace heddle::test::probed_order_tests {
namespace {

constexpr int tag = 3, other_tag = 4;

int ints_in(const MPI_Status& status) {
  int ints = -1;
  MPI_Get_count(&status, MPI_INT, &ints);
  return ints;
}

/// Sent by a type with holes, or as the first ints of a contiguous buffer.
struct Sent {
  bool typed;
  int ints;  ///< The number of these ints.
  std::unique_ptr<Large> data;
  MPI_Request request = MPI_REQUEST_NULL;

  Sent(bool by_type, std::size_t bytes, int first, std::uint32_t number)
      : typed(by_type), ints(first), data(std::make_unique<Large>(by_type ? Shape::scattered : Shape::contiguous, bytes)) {
    data->fill(number);
    if (typed) ints = data->ints();
  }
  void send(int to, int with_tag, MPI_Comm comm) {
    MPI_Isend(data->base(), typed ? data->count() : ints, data->type(), to, with_tag, comm, &request);
  }
};

}  // namespace

/// The first message is received first, even if a probe has seen the second. The messages are
/// announced, short, or of exactly 128 bytes.
TEST_RANKS(2, ProbedOrder, WhatWasProbedDoesNotOvertake) {
  std::uint32_t number = 0;
  for (const bool typed : {true, false})
    for (const int first : {32, 40, 16})
      for (const bool any_source : {false, true}) {
        number += 2;
        Sent one(typed, 32 * KiB, first, number), two(typed, 16 * KiB, first, number + 1);
        if (team.rank == 0) {
          one.send(1, tag, team.comm);
          two.send(1, other_tag, team.comm);
          MPI_Wait(&one.request, MPI_STATUS_IGNORE);
          MPI_Wait(&two.request, MPI_STATUS_IGNORE);
          continue;
        }
        MPI_Status status;
        MPI_Probe(0, other_tag, team.comm, &status);
        EXPECT_EQ(ints_in(status), two.ints);
        for (const auto& [sent, with_tag] : {std::pair{&one, tag}, std::pair{&two, other_tag}}) {
          Large in(Shape::contiguous, 32 * KiB);
          MPI_Recv(in.base(), in.count(), in.type(), any_source ? MPI_ANY_SOURCE : 0, MPI_ANY_TAG, team.comm, &status);
          EXPECT_EQ(status.MPI_TAG, with_tag);
          EXPECT_EQ(ints_in(status), sent->ints);
          EXPECT_EQ(in.wrong(with_tag == tag ? number : number + 1, static_cast<std::size_t>(sent->ints)), "");
        }
      }
}

/// A probe is no receive, so MPI_Ssend goes on waiting.
TEST_RANKS(2, ProbedOrder, AProbeDoesNotEndASynchronousSend) {
  for (const bool typed : {true, false}) {
    Sent sent(typed, 16 * KiB, 32, 5);
    if (team.rank == 0) {
      MPI_Issend(sent.data->base(), typed ? sent.data->count() : sent.ints, sent.data->type(), 1, tag, team.comm,
                 &sent.request);
      MPI_Recv(nullptr, 0, MPI_INT, 1, other_tag, team.comm, MPI_STATUS_IGNORE);
      int done = 0;
      for (int i = 0; i < 1000 && !done; ++i) MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE);
      EXPECT_FALSE(done);
      MPI_Send(nullptr, 0, MPI_INT, 1, other_tag, team.comm);
      MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
      continue;
    }
    MPI_Status status;
    MPI_Probe(0, tag, team.comm, &status);
    EXPECT_EQ(ints_in(status), sent.ints);
    MPI_Send(nullptr, 0, MPI_INT, 0, other_tag, team.comm);
    MPI_Recv(nullptr, 0, MPI_INT, 0, other_tag, team.comm, MPI_STATUS_IGNORE);
    Large in(Shape::contiguous, 16 * KiB);
    MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, &status);
    EXPECT_EQ(in.wrong(5, static_cast<std::size_t>(sent.ints)), "");
  }
}

/// Only calls that complete several operations set MPI_ERROR (MPI-5.0, 3.2.5).
TEST_RANKS(2, ProbedOrder, ProbesLeaveTheErrorOfTheStatus) {
  for (const bool typed : {true, false})
    for (int way = 0; way < 4; ++way) {
      Sent sent(typed, 16 * KiB, 20, 6);
      if (team.rank == 0) {
        sent.send(1, tag, team.comm);
        MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
        continue;
      }
      MPI_Status status;
      status.MPI_ERROR = 4711;
      MPI_Message message = MPI_MESSAGE_NULL;
      int flag = 0;
      if (way == 0) MPI_Probe(0, tag, team.comm, &status);
      if (way == 1)
        while (!flag) MPI_Iprobe(0, tag, team.comm, &flag, &status);
      if (way == 2) MPI_Mprobe(0, tag, team.comm, &message, &status);
      if (way == 3)
        while (!flag) MPI_Improbe(0, tag, team.comm, &flag, &message, &status);
      EXPECT_EQ(status.MPI_ERROR, 4711) << way;
      EXPECT_EQ(ints_in(status), sent.ints) << way;
      Large in(Shape::contiguous, 16 * KiB);
      if (way < 2)
        MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, &status);
      else
        MPI_Mrecv(in.base(), in.count(), in.type(), &message, &status);
      EXPECT_EQ(in.wrong(6, static_cast<std::size_t>(sent.ints)), "") << way;
    }
}

/// Two announced messages, and between them messages of all lengths that announcements may have,
/// and of other lengths. They are probed as they come, also while a receive that is not yet
/// completed has the first.
TEST_RANKS(2, ProbedOrder, LengthsOfAnnouncementsAreLengthsOfMessagesToo) {
  constexpr int lengths = 40;
  for (std::uint32_t turn = 0; turn < 4; ++turn) {
    const bool posted = turn % 2 == 1;
    std::vector<Sent> sent;
    for (std::uint32_t i = 0; i < lengths + 2; ++i) {
      const bool typed = i == 0 || i > lengths;
      sent.emplace_back(typed, typed ? (24 + 8 * i) * KiB : 2 * KiB, 8 * static_cast<int>(i), 100 * turn + i);
    }
    if (team.rank == 0) {
      if (posted) MPI_Barrier(team.comm);
      for (Sent& each : sent) each.send(1, tag, team.comm);
      for (Sent& each : sent) MPI_Wait(&each.request, MPI_STATUS_IGNORE);
      continue;
    }
    Large first(Shape::pairs, 24 * KiB);
    MPI_Request request = MPI_REQUEST_NULL;
    if (posted) {
      MPI_Irecv(first.base(), first.count(), first.type(), 0, tag, team.comm, &request);
      MPI_Barrier(team.comm);
    }
    for (std::uint32_t i = posted ? 1 : 0; i < sent.size(); ++i) {
      MPI_Status status;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Probe(0, tag, team.comm, &status);
      EXPECT_EQ(ints_in(status), sent[i].ints) << "message " << i;
      const bool matched = turn >= 2 && i % 3 == 0;
      if (matched) {
        MPI_Mprobe(0, tag, team.comm, &message, &status);
        EXPECT_EQ(ints_in(status), sent[i].ints) << "message " << i;
      }
      Large in(Shape::contiguous, 400 * KiB);
      if (matched)
        MPI_Mrecv(in.base(), in.count(), in.type(), &message, &status);
      else
        MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, &status);
      EXPECT_EQ(ints_in(status), sent[i].ints) << "message " << i;
      EXPECT_EQ(in.wrong(100 * turn + i, static_cast<std::size_t>(sent[i].ints)), "");
    }
    if (!posted) continue;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(first.wrong(100 * turn), "");
  }
}

/// More sizes and tags at once than announcements have lengths.
TEST_RANKS(2, ProbedOrder, ManySizesAtOnce) {
  constexpr std::uint32_t many = 60;
  std::vector<Sent> sent;
  for (std::uint32_t i = 0; i < many; ++i) sent.emplace_back(true, (8 + i) * KiB, 0, i);
  if (team.rank == 0) {
    for (std::uint32_t i = 0; i < many; ++i) sent[i].send(1, static_cast<int>(i), team.comm);
    MPI_Barrier(team.comm);
    for (Sent& each : sent) MPI_Wait(&each.request, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Barrier(team.comm);
  MPI_Status status;
  for (std::uint32_t i = many; i-- > 0;) {
    MPI_Probe(0, static_cast<int>(i), team.comm, &status);
    EXPECT_EQ(ints_in(status), sent[i].ints);
  }
  for (std::uint32_t i = 0; i < many; ++i) {
    Large in(Shape::rows, 80 * KiB);
    MPI_Recv(in.base(), in.count(), in.type(), 0, MPI_ANY_TAG, team.comm, &status);
    EXPECT_EQ(status.MPI_TAG, static_cast<int>(i));
    EXPECT_EQ(in.wrong(i, static_cast<std::size_t>(sent[i].ints)), "");
  }
}

/// Receives that are too short for the message, and for its announcement. The error is the host's,
/// and the sender gets the message's room back.
TEST_RANKS(2, ProbedOrder, TruncatedMessagesAreDrained) {
  constexpr int messages = 140;
  const auto announced = [&](Large& data, std::uint32_t number) {
    MPI_Status status;
    if (team.rank == 0) {
      data.fill(number);
      MPI_Send(data.base(), data.count(), data.type(), 1, tag, team.comm);
      return true;
    }
    PMPI_Probe(0, tag, team.comm, &status);
    const int ints = ints_in(status);
    data.clear();
    MPI_Recv(data.base(), data.count(), data.type(), 0, tag, team.comm, &status);
    EXPECT_EQ(data.wrong(number), "");
    return ints < data.ints();
  };
  Large data(Shape::rows, 8 * MiB);
  const bool before = announced(data, 1);
  const ReturningErrors returning(team.comm);
  for (int i = 0; i < messages; ++i) {
    if (team.rank == 0) {
      MPI_Send(data.base(), data.count(), data.type(), 1, tag, team.comm);
      continue;
    }
    // 32, 64, 96 bytes, up to more than any announcement has.
    const int room[] = {8, 16, 24, 28, 36, 8, 2000};
    Large in(i % 14 < 7 ? Shape::contiguous : Shape::rows, 8 * KiB);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype rows = MPI_DATATYPE_NULL;
    const int ints = room[i % 7];
    MPI_Type_vector(ints / 4, 4, 8, MPI_INT, &rows);
    MPI_Type_commit(&rows);
    const int count = i % 2 == 0 ? ints : 1;
    MPI_Datatype type = i % 2 == 0 ? MPI_INT : rows;
    std::vector<int> memory(8192);
    int error = MPI_SUCCESS;
    if (i % 3 == 0 && ints >= 32) {
      error = MPI_Irecv(memory.data(), count, type, 0, tag, team.comm, &request);
      if (error == MPI_SUCCESS) error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      error = MPI_Recv(memory.data(), count, type, 0, tag, team.comm, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(error_class(error), MPI_ERR_TRUNCATE) << ints;
    MPI_Type_free(&rows);
  }
  EXPECT_EQ(announced(data, 2), before);
}

}  // namespace heddle::test::probed_order_tests
