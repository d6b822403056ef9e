// cancelled_sends [threads]: sends of every mode that the program cancels before or while they are
// received. Each completes, and arrives whole. Ends with 0 if all do, 77 without such threads.
// Another thread is in MPI all the time if `threads` is given. 2 ranks. Not for MPICH 5.0.2 without
// Heddle, which crashes.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::MiB;
using heddle::test::Shape;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int tag = 3;

using Begin = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
constexpr Begin started[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
constexpr Begin kept[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};

/// 1: the host has cancelled it.
int cancel(MPI_Request& request) {
  MPI_Status status;
  int cancelled = 0;
  MPI_Cancel(&request);
  MPI_Send(nullptr, 0, MPI_INT, 1, tag + 1, world);  // now rank 1 receives it
  MPI_Wait(&request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled;
}

}  // namespace

int main(int argc, char** argv) {
  alarm(200);
  int rank = 0, wrong = 0, mode = 0, level = 0;
  const bool several = argc > 1;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  if (several && level != MPI_THREAD_MULTIPLE) return MPI_Finalize(), 77;
  MPI_Comm_rank(world, &rank);
  std::atomic<bool> over{false};
  std::thread other;
  if (several)
    other = std::thread([&over] {  // it may complete the other thread's sends
      for (int found = 0; !over; usleep(50)) MPI_Iprobe(0, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    });
  std::vector<char> room(32 * MiB);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  for (const Begin begin : {started[0], started[1], started[2], started[3], kept[0], kept[1], kept[2], kept[3]}) {
    const bool persistent = mode >= 4;
    const bool ready = mode % 4 == 3;
    ++mode;
    for (const Shape shape : {Shape::rows, Shape::columns, Shape::scattered})
      for (const std::size_t bytes : {100 * KiB, MiB}) {
        Large data(shape, bytes);
        if (rank == 0) {
          MPI_Request request = MPI_REQUEST_NULL;
          data.fill(7);
          if (ready) MPI_Recv(nullptr, 0, MPI_INT, 1, tag + 2, world, MPI_STATUS_IGNORE);
          begin(data.base(), data.count(), data.type(), 1, tag, world, &request);
          if (persistent) MPI_Start(&request);
          wrong += cancel(request);
          if (persistent && !ready) {
            MPI_Start(&request);  // once more, without a cancel
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          }
          if (persistent) MPI_Request_free(&request);
          continue;
        }
        for (int turn = 0; turn < (persistent && !ready ? 2 : 1); ++turn) {
          MPI_Request request = MPI_REQUEST_NULL;
          data.clear();
          if (ready) MPI_Irecv(data.base(), data.count(), data.type(), 0, tag, world, &request);
          if (ready && turn == 0) MPI_Send(nullptr, 0, MPI_INT, 0, tag + 2, world);
          if (turn == 0) MPI_Recv(nullptr, 0, MPI_INT, 0, tag + 1, world, MPI_STATUS_IGNORE);
          if (ready)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          else
            MPI_Recv(data.base(), data.count(), data.type(), 0, tag, world, MPI_STATUS_IGNORE);
          if (const std::string complaint = data.wrong(7); !complaint.empty())
            std::printf("wrong: mode %d, %d bytes: %s\n", mode, data.bytes(), complaint.c_str()), ++wrong;
        }
      }
  }
  over = true;
  if (other.joinable()) other.join();
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
  if (rank == 0 && wrong) std::printf("wrong: %d sends are said to be cancelled\n", wrong);
  MPI_Finalize();
  return wrong ? 1 : 0;
}
