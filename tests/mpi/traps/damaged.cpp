// Announcements that arrive damaged, and buffers that still hold an announcement. A damaged
// announcement is an error, which the program's handler gets, and costs no other message. Bytes
// that are no announcement are data. The test takes announcements away from Heddle by PMPI_ calls,
// and gives them back changed.
#include <cstddef>
#include <cstring>
#include <optional>

#include "support/handlers.hpp"
#include "traps/large.hpp"

namespace heddle::test::damaged_tests {
namespace {

constexpr int tag = 7, elsewhere = 8;
constexpr std::size_t size = 64 * KiB;
constexpr int descriptor = 128, longest = 1184;

struct Announcement {
  alignas(16) std::byte bytes[longest];
  int length;
};

int calls = 0, heard = MPI_SUCCESS;
void count_errors(MPI_Comm* /*comm*/, int* code, ...) {
  ++calls;
  heard = error_class(*code);
}

class CountedErrors {
 public:
  explicit CountedErrors(MPI_Comm comm) : comm_(comm) {
    calls = 0;
    MPI_Comm_create_errhandler(count_errors, &handler_);
    MPI_Comm_set_errhandler(comm, handler_);
  }
  ~CountedErrors() {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler_);
  }
  CountedErrors(const CountedErrors&) = delete;
  CountedErrors& operator=(const CountedErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

/// Intercepts rank 0's message if it is an announcement. Otherwise receives it, and there is
/// nothing to test.
std::optional<Announcement> intercepted(const Team& team, Large& in) {
  MPI_Status status;
  int bytes = 0;
  PMPI_Probe(0, tag, team.comm, &status);
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  if (bytes > longest) {
    MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
    return {};
  }
  Announcement announcement;
  announcement.length = bytes;
  PMPI_Recv(announcement.bytes, bytes, MPI_BYTE, 0, tag, team.comm, MPI_STATUS_IGNORE);
  return announcement;
}

enum class Receive { recv, irecv, mrecv, imrecv, after_probe, sendrecv, persistent, count };

int receive(Receive way, Large& in, int source, MPI_Comm comm) {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  switch (way) {
    case Receive::irecv:
      MPI_Irecv(in.base(), in.count(), in.type(), source, elsewhere, comm, &request);
      return MPI_Wait(&request, MPI_STATUS_IGNORE);
    case Receive::mrecv:
      MPI_Mprobe(source, elsewhere, comm, &message, &status);
      return MPI_Mrecv(in.base(), in.count(), in.type(), &message, &status);
    case Receive::imrecv:
      MPI_Mprobe(source, elsewhere, comm, &message, &status);
      MPI_Imrecv(in.base(), in.count(), in.type(), &message, &request);
      return MPI_Wait(&request, &status);
    case Receive::after_probe:
      MPI_Probe(source, elsewhere, comm, &status);
      return MPI_Recv(in.base(), in.count(), in.type(), source, elsewhere, comm, &status);
    case Receive::sendrecv:
      return MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, in.base(), in.count(), in.type(), source, elsewhere, comm,
                          MPI_STATUS_IGNORE);
    case Receive::persistent: {
      MPI_Recv_init(in.base(), in.count(), in.type(), source, elsewhere, comm, &request);
      MPI_Start(&request);
      const int error = MPI_Wait(&request, &status);
      MPI_Request_free(&request);
      return error;
    }
    default:
      return MPI_Recv(in.base(), in.count(), in.type(), source, elsewhere, comm, MPI_STATUS_IGNORE);
  }
}

/// Rank 0 announces a message to rank 1. `body` gets the announcement, and the buffer for the
/// message.
template <class Body>
void announced(const Team& team, Shape shape, std::uint32_t number, Body body) {
  if (team.rank == 0) {
    Large out(Shape::rows, size);
    out.fill(number);
    MPI_Send(out.base(), out.count(), out.type(), 1, tag, team.comm);
  } else {
    Large in(shape, size);
    if (const std::optional<Announcement> announcement = intercepted(team, in)) body(*announcement, in);
  }
  MPI_Barrier(team.comm);
}

/// Sends the announcement to this rank itself.
void forward(const Announcement& announcement, const Team& team, MPI_Request* request) {
  PMPI_Isend(announcement.bytes, announcement.length, MPI_BYTE, team.rank, elsewhere, team.comm, request);
}

}  // namespace

TEST_RANKS(2, Damaged, AnnouncementsAreErrorsAndCostNoOtherMessage) {
  std::uint32_t number = 0;
  for (const Shape shape : {Shape::contiguous, Shape::scattered})
    for (int way = 0; way < static_cast<int>(Receive::count); ++way)
      announced(team, shape, ++number, [&](const Announcement& announcement, Large& in) {
        Announcement damaged = announcement;
        damaged.bytes[17 + way * 9] ^= std::byte{4};
        MPI_Request sent[2];
        forward(damaged, team, &sent[0]);
        forward(announcement, team, &sent[1]);
        const auto receiving = static_cast<Receive>(way);
        {
          const CountedErrors counted(team.comm);
          EXPECT_EQ(error_class(receive(receiving, in, team.rank, team.comm)), after_handler(MPI_ERR_INTERN)) << way;
          EXPECT_EQ(calls, 1) << way;
          EXPECT_EQ(heard, MPI_ERR_INTERN);
        }
        in.clear();
        EXPECT_EQ(receive(receiving, in, team.rank, team.comm), MPI_SUCCESS) << way;
        EXPECT_EQ(in.wrong(number), "") << way;
        PMPI_Waitall(2, sent, MPI_STATUSES_IGNORE);
      });
}

/// An announcement counts only for the first receive.
TEST_RANKS(2, Damaged, AnAnnouncementCountsOnce) {
  announced(team, Shape::contiguous, 3, [&](const Announcement& announcement, Large& in) {
    MPI_Request sent[2];
    forward(announcement, team, &sent[0]);
    EXPECT_EQ(receive(Receive::recv, in, team.rank, team.comm), MPI_SUCCESS);
    EXPECT_EQ(in.wrong(3), "");
    Large other(Shape::rows, size);  // gets the freed control block
    MPI_Request more = MPI_REQUEST_NULL;
    other.fill(4);
    in.clear();
    MPI_Isend(other.base(), other.count(), other.type(), team.rank, elsewhere, team.comm, &more);
    EXPECT_EQ(receive(Receive::recv, in, team.rank, team.comm), MPI_SUCCESS);
    EXPECT_EQ(in.wrong(4), "");
    MPI_Wait(&more, MPI_STATUS_IGNORE);
    PMPI_Wait(&sent[0], MPI_STATUS_IGNORE);
  });
}

/// An empty message, or none, leaves a buffer as the program has left it.
TEST_RANKS(2, Damaged, WhatABufferHeldBeforeIsNoMessage) {
  announced(team, Shape::contiguous, 5, [&](const Announcement& announcement, Large& in) {
    const auto expect_empty = [&](const char* what, auto receiving) {
      in.clear();
      std::memcpy(in.base(), announcement.bytes, descriptor);
      MPI_Status status;
      int ints = -1;
      EXPECT_EQ(receiving(&status), MPI_SUCCESS) << what;
      MPI_Get_count(&status, MPI_INT, &ints);
      EXPECT_EQ(ints, 0) << what;
      EXPECT_EQ(std::memcmp(in.base(), announcement.bytes, descriptor), 0) << what;
    };
    const auto send_nothing = [&] { MPI_Send(nullptr, 0, MPI_INT, team.rank, elsewhere, team.comm); };
    expect_empty("Recv", [&](MPI_Status* status) {
      MPI_Request sent = MPI_REQUEST_NULL;
      PMPI_Isend(nullptr, 0, MPI_INT, team.rank, elsewhere, team.comm, &sent);
      const int error = MPI_Recv(in.base(), in.count(), in.type(), team.rank, elsewhere, team.comm, status);
      PMPI_Wait(&sent, MPI_STATUS_IGNORE);
      return error;
    });
    expect_empty("Irecv", [&](MPI_Status* status) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(in.base(), in.count(), in.type(), team.rank, elsewhere, team.comm, &request);
      send_nothing();
      return MPI_Wait(&request, status);
    });
    expect_empty("Sendrecv", [&](MPI_Status* status) {
      return MPI_Sendrecv(nullptr, 0, MPI_INT, team.rank, elsewhere, in.base(), in.count(), in.type(), team.rank, elsewhere,
                          team.comm, status);
    });
    expect_empty("from nobody", [&](MPI_Status* status) {
      return MPI_Recv(in.base(), in.count(), in.type(), MPI_PROC_NULL, elsewhere, team.comm, status);
    });
    expect_empty("Sendrecv with nobody", [&](MPI_Status* status) {
      return MPI_Sendrecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, in.base(), in.count(), in.type(), MPI_PROC_NULL, 0, team.comm,
                          status);
    });
    expect_empty("no message", [&](MPI_Status* status) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Mprobe(MPI_PROC_NULL, elsewhere, team.comm, &message, MPI_STATUS_IGNORE);
      return MPI_Mrecv(in.base(), in.count(), in.type(), &message, status);
    });
    MPI_Request sent = MPI_REQUEST_NULL;
    in.clear();
    forward(announcement, team, &sent);
    EXPECT_EQ(receive(Receive::recv, in, team.rank, team.comm), MPI_SUCCESS);
    EXPECT_EQ(in.wrong(5), "");
    PMPI_Wait(&sent, MPI_STATUS_IGNORE);
  });
}

}  // namespace heddle::test::damaged_tests
