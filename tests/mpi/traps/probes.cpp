// Probes see the message and not its announcement: its true size, and its place in the order. The
// message can then be received in every way, in any order with other messages.
#include <memory>

#include "support/pmpi_spy.hpp"
#include "traps/large.hpp"

namespace heddle::test::probes_tests {
namespace {

constexpr int tag = 7;

void expect_size(const MPI_Status& status, const Large& in, int from, int with_tag) {
  EXPECT_EQ(status.MPI_SOURCE, from);
  EXPECT_EQ(status.MPI_TAG, with_tag);
  int count = -1, ints = -1, bytes = -1, elements = -1;
  MPI_Get_count(&status, in.type(), &count);
  MPI_Get_count(&status, MPI_INT, &ints);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  MPI_Get_elements(&status, in.type(), &elements);
  EXPECT_EQ(count, in.count());
  EXPECT_EQ(ints, in.ints());
  EXPECT_EQ(bytes, in.bytes());
  EXPECT_EQ(elements, in.ints());
}

enum class Probe { probe, iprobe, mprobe, improbe, count };
enum class Taking { at_once, later, count };

MPI_Status probe(Probe way, int source, int with_tag, MPI_Comm comm, MPI_Message* message) {
  MPI_Status status;
  int flag = 0;
  switch (way) {
    case Probe::probe:
      MPI_Probe(source, with_tag, comm, &status);
      break;
    case Probe::iprobe:
      while (!flag) MPI_Iprobe(source, with_tag, comm, &flag, &status);
      break;
    case Probe::mprobe:
      MPI_Mprobe(source, with_tag, comm, message, &status);
      break;
    default:
      while (!flag) MPI_Improbe(source, with_tag, comm, &flag, message, &status);
  }
  return status;
}

/// Receives the message that a probe has seen. MPI_MESSAGE_NULL: by source and tag.
void take(Taking taking, Large& in, int source, int with_tag, MPI_Comm comm, MPI_Message message, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  const bool matched = message != MPI_MESSAGE_NULL;
  if (taking == Taking::at_once) {
    if (matched) {
      MPI_Mrecv(in.base(), in.count(), in.type(), &message, status);
    } else {
      MPI_Recv(in.base(), in.count(), in.type(), source, with_tag, comm, status);
    }
    return;
  }
  if (matched) {
    MPI_Imrecv(in.base(), in.count(), in.type(), &message, &request);
  } else {
    MPI_Irecv(in.base(), in.count(), in.type(), source, with_tag, comm, &request);
  }
  MPI_Wait(&request, status);
}

}  // namespace

TEST_RANKS(2, Probes, EveryProbeAndEveryReceive) {
  each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    for (int way = 0; way < 2 * static_cast<int>(Probe::count); ++way) {
      const int with_tag = tag + static_cast<int>(number) % 3;
      if (team.rank == 0) {
        Large out(pair.sent, bytes);
        out.fill(number);
        MPI_Request request = MPI_REQUEST_NULL;
        (way % 3 == 0 ? MPI_Issend : MPI_Isend)(out.base(), out.count(), out.type(), 1, with_tag, team.comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        out.fill(999);
        continue;
      }
      Large in(pair.received, bytes);
      MPI_Message message = MPI_MESSAGE_NULL;
      const bool any = number % 2 == 0;
      const auto ask = static_cast<Probe>(way / 2);
      const MPI_Status seen = probe(ask, any ? MPI_ANY_SOURCE : 0, any ? MPI_ANY_TAG : with_tag, team.comm, &message);
      expect_size(seen, in, 0, with_tag);
      EXPECT_EQ(message != MPI_MESSAGE_NULL, ask == Probe::mprobe || ask == Probe::improbe);
      if (message == MPI_MESSAGE_NULL) {  // a second probe sees the same
        MPI_Status again;
        MPI_Probe(0, MPI_ANY_TAG, team.comm, &again);
        expect_size(again, in, 0, with_tag);
      }
      MPI_Status status;
      take(static_cast<Taking>(way % 2), in, seen.MPI_SOURCE, seen.MPI_TAG, team.comm, message, &status);
      expect_size(status, in, 0, with_tag);
      EXPECT_EQ(in.wrong(number), "");
    }
  });
}

/// A matched message has left the order: later messages can be received before it.
TEST_RANKS(2, Probes, MatchedMessagesAreTakenOutOfTurn) {
  constexpr int total = 6;
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    const Shapes pair = shapes[turn];
    if (team.rank == 0) {
      std::vector<std::unique_ptr<Large>> out;
      MPI_Request requests[total];
      for (std::uint32_t i = 0; i < total; ++i) {
        out.push_back(std::make_unique<Large>(i == 3 ? Shape::contiguous : pair.sent, (8 + 40 * i) * KiB));
        out.back()->fill(10 * turn + i);
        MPI_Isend(out.back()->base(), out.back()->count(), out.back()->type(), 1, tag, team.comm, &requests[i]);
      }
      MPI_Waitall(total, requests, MPI_STATUSES_IGNORE);
      continue;
    }
    const auto in = [&](std::uint32_t i) { return std::make_unique<Large>(pair.received, (8 + 40 * i) * KiB); };
    MPI_Message first = MPI_MESSAGE_NULL, second = MPI_MESSAGE_NULL, fifth = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Mprobe(0, tag, team.comm, &first, &status);
    expect_size(status, *in(0), 0, tag);
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &second, &status);
    expect_size(status, *in(1), 0, tag);
    auto third = in(2), fourth = in(3), late_second = in(1), late_fifth = in(4), sixth = in(5), late_first = in(0);
    MPI_Probe(0, tag, team.comm, &status);
    expect_size(status, *third, 0, tag);
    MPI_Recv(third->base(), third->count(), third->type(), 0, tag, team.comm, &status);
    EXPECT_EQ(third->wrong(10 * turn + 2), "");
    MPI_Request requests[2];
    MPI_Irecv(fourth->base(), fourth->count(), fourth->type(), 0, tag, team.comm, &requests[0]);
    MPI_Imrecv(late_second->base(), late_second->count(), late_second->type(), &second, &requests[1]);
    EXPECT_EQ(second, MPI_MESSAGE_NULL);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(fourth->wrong(10 * turn + 3), "");
    EXPECT_EQ(late_second->wrong(10 * turn + 1), "");
    MPI_Mprobe(0, MPI_ANY_TAG, team.comm, &fifth, &status);
    expect_size(status, *late_fifth, 0, tag);
    MPI_Recv(sixth->base(), sixth->count(), sixth->type(), MPI_ANY_SOURCE, tag, team.comm, &status);
    expect_size(status, *sixth, 0, tag);
    EXPECT_EQ(sixth->wrong(10 * turn + 5), "");
    MPI_Mrecv(late_fifth->base(), late_fifth->count(), late_fifth->type(), &fifth, &status);
    expect_size(status, *late_fifth, 0, tag);
    EXPECT_EQ(late_fifth->wrong(10 * turn + 4), "");
    MPI_Mrecv(late_first->base(), late_first->count(), late_first->type(), &first, &status);
    expect_size(status, *late_first, 0, tag);
    EXPECT_EQ(late_first->wrong(10 * turn), "");
  }
}

/// A matched message does not tell its communicator. So its receiver sends no hint, neither to the
/// same rank number of another communicator nor to itself.
TEST_RANKS(2, Probes, MatchedReceivesTellNobodyAWish) {
  const auto contiguous_to_self = [&] {
    Large out(Shape::contiguous, 64 * KiB), in(Shape::contiguous, 64 * KiB);
    out.fill(3);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(out.base(), out.count(), out.type(), 0, tag, MPI_COMM_SELF, &request);
    MPI_Status status;
    int bytes = 0;
    PMPI_Probe(0, tag, MPI_COMM_SELF, &status);
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    MPI_Recv(in.base(), in.count(), in.type(), 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(3), "");
    return bytes == out.bytes();  // if not, it was announced, in any length of an announcement
  };
  const bool before = contiguous_to_self();
  if (team.rank == 0) {
    Large out(Shape::contiguous, 64 * KiB);
    out.fill(8);
    MPI_Send(out.base(), out.count(), out.type(), 1, tag, team.comm);
  } else {
    Large in(Shape::scattered, 64 * KiB);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(0, tag, team.comm, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in.base(), in.count(), in.type(), &message, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(8), "");
  }
  EXPECT_EQ(contiguous_to_self(), before);
}

/// Every call that receives can receive a probed message.
TEST_RANKS(2, Probes, SendrecvReceivesWhatWasProbed) {
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    const Shapes pair = shapes[turn];
    const std::size_t bytes = turn % 3 ? 64 * KiB : 8 * KiB;
    const bool in_place = turn % 2 == 1;
    Large out(pair.sent, bytes), in(in_place ? pair.sent : pair.received, bytes);
    out.fill(turn + 10 * static_cast<std::uint32_t>(team.rank));
    if (team.rank == 0) {
      MPI_Sendrecv(out.base(), out.count(), out.type(), 1, tag, in.base(), in.count(), in.type(), 1, tag, team.comm,
                   MPI_STATUS_IGNORE);
    } else {
      MPI_Status status;
      MPI_Probe(0, tag, team.comm, &status);
      expect_size(status, in, 0, tag);
      if (in_place) {
        in.fill(turn + 10);
        MPI_Sendrecv_replace(in.base(), in.count(), in.type(), 0, tag, 0, tag, team.comm, &status);
      } else {
        MPI_Sendrecv(out.base(), out.count(), out.type(), 0, tag, in.base(), in.count(), in.type(), 0, tag, team.comm, &status);
      }
      expect_size(status, in, 0, tag);
    }
    EXPECT_EQ(in.wrong(turn + 10 * static_cast<std::uint32_t>(1 - team.rank)), "");
  }
}

#if defined(MPI_VERSION) && (MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5))
TEST_RANKS(2, Probes, IsendrecvReceivesWhatWasProbed) {
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    const Shapes pair = shapes[turn];
    Large out(pair.sent, turn % 3 ? 64 * KiB : 8 * KiB), in(pair.received, turn % 3 ? 64 * KiB : 8 * KiB);
    out.fill(turn + 10 * static_cast<std::uint32_t>(team.rank));
    if (team.rank == 0) {
      MPI_Sendrecv(out.base(), out.count(), out.type(), 1, tag, in.base(), in.count(), in.type(), 1, tag, team.comm,
                   MPI_STATUS_IGNORE);
    } else {
      MPI_Status status;
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Probe(0, tag, team.comm, &status);
      MPI_Isendrecv(out.base(), out.count(), out.type(), 0, tag, in.base(), in.count(), in.type(), 0, tag, team.comm, &request);
      MPI_Wait(&request, &status);
      // MPICH 5.0.2 alone says that no data have arrived
      if (expected() == Expected::on) expect_size(status, in, 0, tag);
      out.fill(999);
    }
    EXPECT_EQ(in.wrong(turn + 10 * static_cast<std::uint32_t>(1 - team.rank)), "") << turn;
  }
}
#endif

/// The next receive gets the probed message, even if other messages arrive meanwhile with other
/// tags or from other ranks.
TEST_RANKS(3, Probes, WhatWasProbedIsReceivedNext) {
  constexpr int each = 12;
  if (team.rank > 0) {
    std::vector<std::unique_ptr<Large>> out;
    std::vector<MPI_Request> requests(each, MPI_REQUEST_NULL);
    for (std::uint32_t i = 0; i < each; ++i) {
      out.push_back(std::make_unique<Large>(i % 3 == 2 ? Shape::rows : Shape::pairs, i % 3 == 2 ? KiB : 50 * KiB));
      out[i]->fill(100 * static_cast<std::uint32_t>(team.rank) + i);
      MPI_Isend(out[i]->base(), out[i]->count(), out[i]->type(), 0, tag + static_cast<int>(i % 2), team.comm, &requests[i]);
    }
    MPI_Waitall(each, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  std::uint32_t next[3][2] = {{0, 1}, {0, 1}, {0, 1}};
  for (int i = 0; i < 2 * each; ++i) {
    MPI_Status seen, status;
    const int wanted = i % 5 == 0 ? tag + 1 : MPI_ANY_TAG;
    const bool there = next[1][1] < each || next[2][1] < each;
    MPI_Probe(MPI_ANY_SOURCE, there ? wanted : MPI_ANY_TAG, team.comm, &seen);
    std::uint32_t& number = next[seen.MPI_SOURCE][seen.MPI_TAG - tag];
    Large in(i % 2 ? Shape::scattered : Shape::contiguous, number % 3 == 2 ? KiB : 50 * KiB);
    expect_size(seen, in, seen.MPI_SOURCE, seen.MPI_TAG);
    MPI_Recv(in.base(), in.count(), in.type(), seen.MPI_SOURCE, seen.MPI_TAG, team.comm, &status);
    expect_size(status, in, seen.MPI_SOURCE, seen.MPI_TAG);
    EXPECT_EQ(in.wrong(100 * static_cast<std::uint32_t>(seen.MPI_SOURCE) + number), "");
    number += 2;
  }
}

/// A receive that was posted before a probe takes its message first.
TEST_RANKS(2, Probes, PostedReceivesComeBeforeProbes) {
  for (std::uint32_t turn = 0; turn < 6; ++turn) {
    Large a(team.rank ? shapes[turn].received : shapes[turn].sent, 100 * KiB);
    Large b(team.rank ? shapes[turn].received : shapes[turn].sent, 30 * KiB);
    if (team.rank == 0) {
      MPI_Barrier(team.comm);
      a.fill(turn), b.fill(turn + 100);
      MPI_Send(a.base(), a.count(), a.type(), 1, tag, team.comm);
      MPI_Send(b.base(), b.count(), b.type(), 1, tag, team.comm);
      continue;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(a.base(), a.count(), a.type(), 0, tag, team.comm, &request);
    MPI_Barrier(team.comm);
    MPI_Status status;
    MPI_Probe(0, tag, team.comm, &status);
    expect_size(status, b, 0, tag);
    MPI_Recv(b.base(), b.count(), b.type(), 0, tag, team.comm, &status);
    MPI_Wait(&request, &status);
    expect_size(status, a, 0, tag);
    EXPECT_EQ(a.wrong(turn), "");
    EXPECT_EQ(b.wrong(turn + 100), "");
  }
}

}  // namespace heddle::test::probes_tests
