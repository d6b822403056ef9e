// Communicators of every kind carry large messages, also if they end while messages are in flight.
#include <functional>
#include <memory>

#include "support/pmpi_spy.hpp"
#include "traps/large.hpp"

namespace heddle::test::communicators_tests {
namespace {

constexpr int tag = 11;

int handled = 0;
void count_errors(MPI_Comm* /*comm*/, int* code, ...) { handled = error_class(*code); }

/// Sends one large message to the other rank of two, and receives one.
using Exchange = std::function<void(Large& out, Large& in, int other, MPI_Comm comm)>;

void by_alltoallw(Large& out, Large& in, int other, MPI_Comm comm) {
  int counts[2]{}, places[2]{};
  counts[other] = 1;
  int out_counts[2] = {counts[0] * out.count(), counts[1] * out.count()};
  int in_counts[2] = {counts[0] * in.count(), counts[1] * in.count()};
  MPI_Datatype out_types[2] = {out.type(), out.type()}, in_types[2] = {in.type(), in.type()};
  MPI_Alltoallw(out.base(), out_counts, places, out_types, in.base(), in_counts, places, in_types, comm);
}

const Exchange exchanges[] = {
    [](Large& out, Large& in, int other, MPI_Comm comm) {
      MPI_Request both[2];
      MPI_Isend(out.base(), out.count(), out.type(), other, tag, comm, &both[0]);
      MPI_Irecv(in.base(), in.count(), in.type(), other, tag, comm, &both[1]);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    },
    [](Large& out, Large& in, int other, MPI_Comm comm) {
      MPI_Sendrecv(out.base(), out.count(), out.type(), other, tag, in.base(), in.count(), in.type(), other, tag, comm,
                   MPI_STATUS_IGNORE);
    },
    [](Large& out, Large& in, int other, MPI_Comm comm) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(in.base(), in.count(), in.type(), other, tag, comm, &request);
      MPI_Barrier(comm);
      MPI_Rsend(out.base(), out.count(), out.type(), other, tag, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    },
    [](Large& out, Large& in, int other, MPI_Comm comm) {
      MPI_Request both[2];
      MPI_Send_init(out.base(), out.count(), out.type(), other, tag, comm, &both[0]);
      MPI_Recv_init(in.base(), in.count(), in.type(), other, tag, comm, &both[1]);
      MPI_Startall(2, both);
      MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
      for (MPI_Request& request : both) MPI_Request_free(&request);
    },
    by_alltoallw,
    [](Large& out, Large& in, int other, MPI_Comm comm) {
      int me = 0;
      MPI_Comm_rank(comm, &me);
      for (int root = 0; root < 2; ++root) {
        Large& data = root == me ? out : in;
        MPI_Bcast(data.base(), data.count(), data.type(), root, comm);
      }
      EXPECT_EQ(other, 1 - me);
    },
};

int deletes = 0;
int count_deletes(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  ++deletes;
  return MPI_SUCCESS;
}

/// Communicates on the communicator that is being freed.
int exchange_at_end(MPI_Comm comm, int /*keyval*/, void* value, void* /*state*/) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  for (const std::size_t bytes : {1 * KiB, 8 * KiB, 200 * KiB}) {
    Large out(Shape::columns, bytes), in(Shape::rows, bytes);
    out.fill(static_cast<std::uint32_t>(me));
    in.clear();
    (*static_cast<const Exchange*>(value))(out, in, 1 - me, comm);
    EXPECT_EQ(in.wrong(static_cast<std::uint32_t>(1 - me)), "") << bytes;
  }
  return count_deletes(comm, 0, value, nullptr);
}

/// Frees `rounds` communicators for each exchange, by MPI_Comm_free and by MPI_Comm_disconnect. The
/// callback has run when the call returns.
void free_many(const Team& team, MPI_Comm_delete_attr_function* callback, bool exchange_before, int rounds) {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, callback, &keyval, nullptr);
  deletes = 0;
  int expected_deletes = 0;
  for (const Exchange& exchange : exchanges)
    for (int round = 0; round < rounds; ++round) {
      MPI_Comm gone = MPI_COMM_NULL;
      MPI_Comm_dup(team.comm, &gone);
      MPI_Comm_set_attr(gone, keyval, const_cast<Exchange*>(&exchange));
      if (exchange_before) {
        Large out(Shape::columns, 200 * KiB), in(Shape::rows, 200 * KiB);
        out.fill(static_cast<std::uint32_t>(team.rank));
        exchange(out, in, 1 - team.rank, gone);
      }
      EXPECT_EQ((round % 2 ? MPI_Comm_disconnect : MPI_Comm_free)(&gone), MPI_SUCCESS);
      EXPECT_EQ(deletes, ++expected_deletes) << "exchange " << &exchange - exchanges << ", round " << round;
    }
  MPI_Comm_free_keyval(&keyval);
}

}  // namespace

TEST_EACH_RANKS(2, 4, Communicators, Inter) {
  // Even ranks are on one side, odd ranks on the other. So local ranks differ from the world's.
  MPI_Comm own = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  const int side = team.rank % 2;
  MPI_Comm_split(team.comm, side, -team.rank, &own);  // in reverse
  const int leaders[2] = {(team.size - 1) / 2 * 2, (team.size - 2) / 2 * 2 + 1};
  MPI_Intercomm_create(own, 0, team.comm, leaders[1 - side], 5, &inter);
  int me = 0, others = 0;
  MPI_Comm_rank(own, &me);
  MPI_Comm_remote_size(inter, &others);
  each_large({8 * KiB, 200 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    std::vector<std::unique_ptr<Large>> out, in;
    std::vector<MPI_Request> requests;
    for (int i = 0; i < others; ++i) {
      out.push_back(std::make_unique<Large>(pair.sent, bytes));
      in.push_back(std::make_unique<Large>(pair.received, bytes));
      out.back()->fill(1000 * number + static_cast<std::uint32_t>(100 * side + 10 * me + i));
      requests.resize(requests.size() + 2);
      MPI_Irecv(in.back()->base(), in.back()->count(), in.back()->type(), i, tag, inter, &requests[requests.size() - 2]);
      MPI_Isend(out.back()->base(), out.back()->count(), out.back()->type(), i, tag, inter, &requests[requests.size() - 1]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (int i = 0; i < others; ++i)
      EXPECT_EQ(
          in[static_cast<std::size_t>(i)]->wrong(1000 * number + static_cast<std::uint32_t>(100 * (1 - side) + 10 * i + me)),
          "");
    // A blocking message to the other side, with a probe that sees the remote rank.
    if (side == 0 && me == 0) {
      MPI_Send(out[0]->base(), out[0]->count(), out[0]->type(), others - 1, tag + 1, inter);
    } else if (side == 1) {
      int size = 0;
      MPI_Comm_size(own, &size);
      if (me == size - 1) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, tag + 1, inter, &status);
        EXPECT_EQ(status.MPI_SOURCE, 0);
        in[0]->clear();
        MPI_Recv(in[0]->base(), in[0]->count(), in[0]->type(), 0, tag + 1, inter, &status);
        EXPECT_EQ(in[0]->wrong(1000 * number), "");
      }
    }
  });
  MPI_Comm_free(&inter);
  MPI_Comm_free(&own);
}

TEST_RANKS(2, Communicators, FreedWithMessagesInFlight) {
  each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    MPI_Comm gone = MPI_COMM_NULL;
    MPI_Comm_dup(team.comm, &gone);
    Large data(team.rank ? pair.received : pair.sent, bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    const bool receive_late = number % 2 == 0;  // after the sender has freed the communicator
    if (team.rank == 0) {
      data.fill(number);
      (number % 3 ? MPI_Isend : MPI_Issend)(data.base(), data.count(), data.type(), 1, tag, gone, &request);
      if (receive_late) MPI_Send(nullptr, 0, MPI_INT, 1, tag + 1, team.comm);
    } else {
      if (receive_late) MPI_Recv(nullptr, 0, MPI_INT, 0, tag + 1, team.comm, MPI_STATUS_IGNORE);
      MPI_Irecv(data.base(), data.count(), data.type(), 0, tag, gone, &request);
    }
    MPI_Comm_free(&gone);
    MPI_Comm next = MPI_COMM_NULL;  // may get the same handle and the same context
    MPI_Comm_dup(team.comm, &next);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (team.rank == 1) {
      EXPECT_EQ(data.wrong(number), "");
    }
    MPI_Comm_free(&next);
  });
}

/// Like FreedWithMessagesInFlight, but the message goes in one piece, and its receiver scatters it.
/// At the end, the receiver looks up the sender.
TEST_RANKS(2, Communicators, FreedBeforeWhatIsWholeHasCome) {
  for (const std::size_t bytes : {400UL, 8 * KiB, 200 * KiB, MiB})
    for (const bool buffered : {false, true})
      for (const Shape shape : {Shape::contiguous, Shape::columns, Shape::pairs}) {
        MPI_Comm gone = MPI_COMM_NULL;
        MPI_Comm_dup(team.comm, &gone);
        Large data(team.rank ? shape : Shape::contiguous, bytes);
        std::vector<char> room;
        MPI_Request request = MPI_REQUEST_NULL;
        const auto number = static_cast<std::uint32_t>(bytes);
        if (team.rank == 0) {
          data.fill(number);
          if (buffered) {
            room.resize(static_cast<std::size_t>(data.bytes()) + MPI_BSEND_OVERHEAD);
            MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
            MPI_Bsend(data.base(), data.count(), data.type(), 1, tag, gone);
          } else {
            MPI_Isend(data.base(), data.count(), data.type(), 1, tag, gone, &request);
          }
        } else {
          MPI_Irecv(data.base(), data.count(), data.type(), 0, tag, gone, &request);
        }
        MPI_Comm_free(&gone);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (team.rank == 1) {
          EXPECT_EQ(data.wrong(number), "");
        }
        void* detached = nullptr;
        int size = 0;
        if (team.rank == 0 && buffered) MPI_Buffer_detach(static_cast<void*>(&detached), &size);
      }
}

/// Errors go to the handler that the communicator had, even when the communicator is gone. Open MPI
/// 5.0.11 alone calls the handler of MPI_COMM_WORLD, and MPICH 5.0.2 alone crashes.
TEST_RANKS(2, Communicators, FreedBeforeAnErrorIsFound) {
  if (expected() != Expected::on) return;
  for (const bool returns : {true, false}) {
    MPI_Comm gone = MPI_COMM_NULL;
    MPI_Comm_dup(team.comm, &gone);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(count_errors, &handler);
    MPI_Comm_set_errhandler(gone, returns ? MPI_ERRORS_RETURN : handler);
    MPI_Errhandler_free(&handler);
    handled = 0;
    Large data(team.rank ? Shape::contiguous : Shape::columns, team.rank ? 20 * KiB : 200 * KiB);
    MPI_Request request = MPI_REQUEST_NULL;
    if (team.rank == 0) {
      data.fill(1);
      MPI_Isend(data.base(), data.count(), data.type(), 1, tag, gone, &request);
    } else {
      MPI_Irecv(data.base(), data.count(), data.type(), 0, tag, gone, &request);
    }
    MPI_Comm_free(&gone);
    const int error = error_class(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (team.rank == 1) {
      // MPICH 5.0.2 returns success after a handler of the program was called.
      EXPECT_TRUE(error == MPI_ERR_TRUNCATE || (!returns && error == MPI_SUCCESS)) << error;
      EXPECT_EQ(handled, returns ? 0 : MPI_ERR_TRUNCATE);
    } else {
      EXPECT_EQ(error, MPI_SUCCESS);
    }
    MPI_Barrier(team.comm);
  }
}

/// A persistent request goes on without its communicator and its datatype.
TEST_RANKS(2, Communicators, FreedBeforeAPersistentRequestStarts) {
  each_large({8 * KiB, 200 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    MPI_Comm gone = MPI_COMM_NULL;
    MPI_Comm_dup(team.comm, &gone);
    Large data(team.rank ? pair.received : pair.sent, bytes);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(data.type(), &type);
    if (team.rank == 0)
      MPI_Send_init(data.base(), data.count(), type, 1, tag, gone, &request);
    else
      MPI_Recv_init(data.base(), data.count(), type, 0, tag, gone, &request);
    MPI_Type_free(&type);
    MPI_Comm_free(&gone);
    for (std::uint32_t turn = 0; turn < 3; ++turn) {
      if (team.rank == 0)
        data.fill(number + turn);
      else
        data.clear();
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (team.rank == 1) {
        EXPECT_EQ(data.wrong(number + turn), "");
      }
    }
    MPI_Request_free(&request);
  });
}

/// If a request of Heddle is left on a communicator, MPICH does not free it, and
/// MPI_Comm_disconnect does not return.
TEST_RANKS(2, Communicators, NothingIsLeftOfMessagesThatWereReceived) { free_many(team, count_deletes, true, 10); }

/// PETSc and tlm_adjoint communicate in delete callbacks.
TEST_RANKS(2, Communicators, DeleteCallbacksCommunicate) {
  free_many(team, exchange_at_end, false, 2);
  free_many(team, exchange_at_end, true, 2);
}

/// Heddle needs no context id for each communicator of the same ranks. If the host has none left,
/// it carries out collectives itself, and no error handler is called.
TEST_RANKS(2, Communicators, AsManyAsTheHostHas) {
  int level = MPI_THREAD_MULTIPLE;
  MPI_Query_thread(&level);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_errors, &handler);
  MPI_Comm reversed = MPI_COMM_NULL;  // its ranks count as others, as far as sharing goes
  MPI_Comm_split(team.comm, 0, -team.rank, &reversed);
  MPI_Comm_set_errhandler(reversed, handler);
  handled = 0;
#if defined(MPICH_VERSION)
  constexpr std::uint32_t with_exchange = 60;
#else
  constexpr std::uint32_t with_exchange = 300;
#endif
  std::vector<MPI_Comm> all, of_one;
  // Communicators of one rank take context ids, too, but no time.
  const ReturningErrors quiet(MPI_COMM_SELF);
  [[maybe_unused]] const auto take_ids = [&of_one](std::size_t most) {
    for (MPI_Comm made = MPI_COMM_NULL; of_one.size() < most && MPI_Comm_dup(MPI_COMM_SELF, &made) == MPI_SUCCESS;)
      of_one.push_back(made);
  };
#if defined(MPICH_VERSION)
  // Takes most of some 2040 ids. The rest is less than two for each of the other communicators.
  // Processes with several threads share no ids.
  take_ids(level < MPI_THREAD_MULTIPLE ? 1950 : 1850);
#endif
  Large out(Shape::rows, 3 * KiB), in(Shape::columns, 3 * KiB);
  const auto exchange = [&](MPI_Comm comm, std::uint32_t number) {
    int me = 0;
    MPI_Comm_rank(comm, &me);
    out.fill(number);
    in.clear();
    by_alltoallw(out, in, 1 - me, comm);
    EXPECT_EQ(in.wrong(number), "");
  };
  const long before = pmpi_spy::derived("Alltoallw");
  for (std::uint32_t i = 0; i < with_exchange; ++i) {
    MPI_Comm made = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(team.comm, &made), MPI_SUCCESS) << i;
    all.push_back(made);
    exchange(made, i);
  }
  if (expected() == Expected::on && level < MPI_THREAD_MULTIPLE) {
    EXPECT_EQ(pmpi_spy::derived("Alltoallw"), before) << "Heddle has carried them out";
  }
#if defined(MPICH_VERSION)
  take_ids(10000);
#endif
  exchange(reversed, 7);
  exchange(reversed, 8);
  EXPECT_EQ(handled, 0);
  for (std::uint32_t i = 0; i < with_exchange; ++i) exchange(all[with_exchange - 1 - i], i);
  for (MPI_Comm& each : all) MPI_Comm_free(&each);
  for (MPI_Comm& each : of_one) MPI_Comm_free(&each);
  MPI_Comm_free(&reversed);
  MPI_Errhandler_free(&handler);
}

TEST_RANKS(3, Communicators, ReorderedAndPartial) {
  MPI_Comm reversed = MPI_COMM_NULL, pair_of = MPI_COMM_NULL;
  MPI_Comm_split(team.comm, 0, -team.rank, &reversed);
  MPI_Comm_split(team.comm, team.rank == 1 ? 1 : 0, -team.rank, &pair_of);
  int me = 0, size = 0;
  each_large({8 * KiB, 200 * KiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    for (const MPI_Comm comm : {reversed, pair_of}) {
      MPI_Comm_rank(comm, &me);
      MPI_Comm_size(comm, &size);
      Large out(pair.sent, bytes), in(pair.received, bytes);
      out.fill(10 * number + static_cast<std::uint32_t>(me));
      const int next = (me + 1) % size, previous = (me + size - 1) % size;
      MPI_Status status;
      MPI_Sendrecv(out.base(), out.count(), out.type(), next, tag, in.base(), in.count(), in.type(), previous, tag, comm,
                   &status);
      EXPECT_EQ(status.MPI_SOURCE, previous);
      EXPECT_EQ(in.wrong(10 * number + static_cast<std::uint32_t>(previous)), "");
    }
  });
  MPI_Comm_free(&reversed);
  MPI_Comm_free(&pair_of);
}

/// Messages with the same ranks and tags on two communicators have independent orders.
TEST_RANKS(2, Communicators, DoNotMix) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(team.comm, &other);
  for (std::uint32_t turn = 0; turn < 12; ++turn) {
    const Shapes pair = shapes[turn % 6];
    Large a(team.rank ? pair.received : pair.sent, 150 * KiB), b(team.rank ? pair.received : pair.sent, 150 * KiB);
    MPI_Request requests[2];
    if (team.rank == 0) {
      a.fill(turn), b.fill(turn + 100);
      MPI_Isend(a.base(), a.count(), a.type(), 1, tag, team.comm, &requests[0]);
      MPI_Isend(b.base(), b.count(), b.type(), 1, tag, other, &requests[1]);
    } else {
      MPI_Irecv(b.base(), b.count(), b.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, other, &requests[0]);
      MPI_Irecv(a.base(), a.count(), a.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (team.rank == 1) {
      EXPECT_EQ(a.wrong(turn), "");
      EXPECT_EQ(b.wrong(turn + 100), "");
    }
  }
  MPI_Comm_free(&other);
}

}  // namespace heddle::test::communicators_tests
