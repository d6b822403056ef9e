// Messages of one tag keep their order, whether they go natively or not. Also a rank's messages to
// itself, and absolute addresses.
#include <memory>

#include "traps/large.hpp"

namespace heddle::test::order_tests {
namespace {

constexpr int tag = 10;

/// A sequence of small and large, contiguous and noncontiguous messages.
std::unique_ptr<Large> item(std::uint32_t i, bool sending) {
  const Shapes pair = shapes[i / 2 % 6];
  const std::size_t sizes[] = {768, 8 * KiB, 90 * KiB, 400 * KiB};
  const Shape shape = sending ? (i % 2 ? pair.sent : Shape::contiguous) : (i % 3 ? pair.received : Shape::contiguous);
  return std::make_unique<Large>(shape, sizes[i * 7 / 3 % 4]);
}

}  // namespace

TEST_RANKS(2, Order, NativeAndNoncontiguousMessagesInTurn) {
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto data = item(i, team.rank == 0);
    MPI_Request request = MPI_REQUEST_NULL;
    if (team.rank == 0) {
      data->fill(i);
      if (i % 5 == 0) {
        MPI_Isend(data->base(), data->count(), data->type(), 1, tag, team.comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Send(data->base(), data->count(), data->type(), 1, tag, team.comm);
      }
      continue;
    }
    MPI_Status status;
    if (i % 4 == 0) {
      MPI_Irecv(data->base(), data->count(), data->type(), MPI_ANY_SOURCE, tag, team.comm, &request);
      MPI_Wait(&request, &status);
    } else {
      MPI_Recv(data->base(), data->count(), data->type(), 0, i % 3 ? tag : MPI_ANY_TAG, team.comm, &status);
    }
    EXPECT_EQ(data->wrong(i), "");
  }
}

TEST_RANKS(2, Order, ManyInFlightOfOneTag) {
  constexpr std::uint32_t many = 100;
  std::vector<std::unique_ptr<Large>> data;
  std::vector<MPI_Request> requests(many);
  for (std::uint32_t i = 0; i < many; ++i) {
    data.push_back(item(i, team.rank == 0));
    Large& one = *data.back();
    if (team.rank == 0) {
      one.fill(i);
      MPI_Isend(one.base(), one.count(), one.type(), 1, tag, team.comm, &requests[i]);
    } else {
      MPI_Irecv(one.base(), one.count(), one.type(), 0, tag, team.comm, &requests[i]);
    }
  }
  // The requests are completed from the back, which does not change the matching.
  for (std::uint32_t i = many; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  for (std::uint32_t i = 0; team.rank == 1 && i < many; ++i) EXPECT_EQ(data[i]->wrong(i), "");
}

TEST_RANKS(2, Order, TagsAreTakenInAnyOrder) {
  constexpr std::uint32_t many = 12;
  if (team.rank == 0) {
    std::vector<std::unique_ptr<Large>> data;
    std::vector<MPI_Request> requests(many);
    for (std::uint32_t i = 0; i < many; ++i) {
      data.push_back(item(i, true));
      data.back()->fill(i);
      MPI_Isend(data.back()->base(), data.back()->count(), data.back()->type(), 1, tag + static_cast<int>(i % 3), team.comm,
                &requests[i]);
    }
    MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE);
    return;
  }
  for (const std::uint32_t i : {2, 5, 1, 0, 8, 11, 3, 4, 7, 10, 6, 9}) {
    const auto data = item(i, false);
    MPI_Recv(data->base(), data->count(), data->type(), 0, tag + static_cast<int>(i % 3), team.comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(data->wrong(i), "");
  }
}

TEST_RANKS(2, Order, ToOneself) {
  each_large({8 * KiB, 200 * KiB, 4 * MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large out(pair.sent, bytes), in(pair.received, bytes);
    out.fill(number);
    MPI_Request requests[2];
    MPI_Status status;
    const auto send = [&] { MPI_Isend(out.base(), out.count(), out.type(), team.rank, tag, team.comm, &requests[0]); };
    const auto receive = [&] {
      MPI_Irecv(in.base(), in.count(), in.type(), number % 2 ? team.rank : MPI_ANY_SOURCE, tag, team.comm, &requests[1]);
    };
    switch (number % 4) {
      case 0:
        send(), receive();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        break;
      case 1:
        receive(), send();
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        break;
      case 2:
        send();
        MPI_Probe(team.rank, tag, team.comm, &status);
        MPI_Recv(in.base(), in.count(), in.type(), team.rank, tag, team.comm, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
      default:
        MPI_Sendrecv(out.base(), out.count(), out.type(), team.rank, tag, in.base(), in.count(), in.type(), team.rank, tag,
                     team.comm, MPI_STATUS_IGNORE);
    }
    EXPECT_EQ(in.wrong(number), "");
  });
}

TEST_RANKS(2, Order, AbsoluteAddresses) {
  each_large({8 * KiB, 200 * KiB, MiB}, [&](const Shapes& pair, std::size_t bytes, std::uint32_t number) {
    Large data(team.rank ? pair.received : pair.sent, bytes);
    MPI_Aint address = 0;
    MPI_Get_address(data.base(), &address);
    MPI_Datatype absolute = MPI_DATATYPE_NULL;
    const int count = data.count();
    MPI_Datatype type = data.type();
    MPI_Type_create_struct(1, &count, &address, &type, &absolute);
    MPI_Type_commit(&absolute);
    if (team.rank == 0) {
      data.fill(number);
      MPI_Send(MPI_BOTTOM, 1, absolute, 1, tag, team.comm);
    } else if (number % 2 == 0) {
      MPI_Recv(MPI_BOTTOM, 1, absolute, 0, tag, team.comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Irecv(MPI_BOTTOM, 1, absolute, 0, tag, team.comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&absolute);
    if (team.rank == 1) {
      EXPECT_EQ(data.wrong(number), "");
    }
  });
}

/// Types are freed as soon as the standard allows. Their handles and displacements then come back
/// with another meaning.
TEST_RANKS(2, Order, TypesFreedWhileMessagesAreInFlight) {
  for (std::uint32_t number = 1; number <= 60; ++number) {
    MPI_Request request = MPI_REQUEST_NULL;
    std::unique_ptr<Large> data;
    if (team.rank == 0) {
      data = item(2 * number + 1, true);
      data->fill(number);
    } else {
      data = item(2 * number + 1, false);
    }
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_dup(data->type(), &type);
    if (team.rank == 0) {
      MPI_Isend(data->base(), data->count(), type, 1, tag, team.comm, &request);
    } else {
      MPI_Irecv(data->base(), data->count(), type, 0, tag, team.comm, &request);
    }
    MPI_Type_free(&type);
    MPI_Datatype reused = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &reused);
    MPI_Type_commit(&reused);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&reused);
    if (team.rank == 1) {
      EXPECT_EQ(data->wrong(number), "");
    }
  }
}

}  // namespace heddle::test::order_tests
