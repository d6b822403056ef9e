// communicators_apart WARM: receives of one sender and tag on two communicators, between two nodes.
// They share a buffer, so that announcements are written over. Each receive gets a message of its
// own communicator, as its status tells. Before, messages go over WARM of the communicators by the
// fabric. Ends with 0 if all is right. 2 ranks.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::Shape;

namespace {

constexpr int tag = 5, each = 6;
constexpr std::size_t sizes[2] = {150 * KiB, 300 * KiB};

/// Until messages go by the fabric.
void warm(MPI_Comm comm, int rank) {
  Large data(Shape::columns, sizes[1]);
  for (int i = 0; i < 30; ++i) {
    if (rank == 0)
      MPI_Send(data.base(), data.count(), data.type(), 1, tag, comm);
    else
      MPI_Recv(data.base(), data.count(), data.type(), 0, tag, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
    usleep(3000);
  }
}

/// How many receives are wrong.
int overlapping(const MPI_Comm* comms, int rank) {
  int wrong = 0;
  std::vector<std::unique_ptr<Large>> data;
  std::vector<MPI_Request> requests;
  if (rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    for (int which = 0; which < 2; ++which)
      for (int i = 0; i < each; ++i) {
        Large& one = *data.emplace_back(std::make_unique<Large>(Shape::columns, sizes[which]));
        MPI_Isend(one.base(), one.count(), one.type(), 1, tag, comms[which], &requests.emplace_back());
      }
    MPI_Waitall(2 * each, requests.data(), MPI_STATUSES_IGNORE);
    return 0;
  }
  Large shared(Shape::contiguous, sizes[1]);
  for (int which = 1; which >= 0; --which)
    for (int i = 0; i < each; ++i)
      MPI_Irecv(shared.base(), shared.count(), shared.type(), 0, tag, comms[which], &requests.emplace_back());
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<MPI_Status> statuses(requests.size());
  MPI_Waitall(2 * each, requests.data(), statuses.data());
  for (int i = 0; i < 2 * each; ++i) {
    const int expected = Large(Shape::contiguous, sizes[i < each ? 1 : 0]).bytes();
    int bytes = 0;
    MPI_Get_count(&statuses[static_cast<std::size_t>(i)], MPI_BYTE, &bytes);
    if (bytes == expected) continue;
    std::printf("wrong: receive %d got %d bytes, not %d\n", i, bytes, expected);
    ++wrong;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const int warmed = argc > 1 ? std::atoi(argv[1]) : 0;
  alarm(200);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  warm(MPI_COMM_WORLD, rank);
  for (int i = 0; i < warmed; ++i) warm(comms[i], rank);
  const int wrong = overlapping(comms, rank);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  MPI_Finalize();
  return wrong ? 1 : 0;
}
