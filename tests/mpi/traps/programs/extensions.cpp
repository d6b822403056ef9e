// extensions: MPICH's MPIX_ procedures. Ends with 0 if all is right, 77 where the library has none.
// 2 ranks.
//   MPIX_Request_is_complete says true of every kind of request, and not before its data are in place
//   an error handler does not hear of an error in it, and once when the request is completed
//   communicators of streams and of threads are the library's alone, and what is sent over them arrives
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "traps/large.hpp"

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000 && !defined(MPI_ABI)

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::MiB;
using heddle::test::Shape;

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int wrong = 0;

void expect(const std::string& complaint, const char* what, int bytes) {
  if (complaint.empty()) return;
  std::printf("wrong: %s of %d bytes: %s\n", what, bytes, complaint.c_str());
  ++wrong;
}

/// False: the request never completes.
bool poll(MPI_Request request) {
  const double since = MPI_Wtime();
  while (!MPIX_Request_is_complete(request)) {
    MPIX_Stream_progress(MPIX_STREAM_NULL);
    if (MPI_Wtime() - since > 100) return false;
  }
  return true;
}

void complete(MPI_Request& request, Large& in, std::uint32_t number, const char* what) {
  if (!poll(request)) expect("is never complete", what, in.bytes());
  expect(in.wrong(number), what, in.bytes());
  MPI_Status status;
  int count = -1;
  MPI_Wait(&request, &status);
  if (std::string_view(what).find("MPI_I") != std::string_view::npos && what != std::string_view("MPI_Irecv")) return;
  MPI_Get_count(&status, in.type(), &count);
  if (count != in.count()) expect("has another count in its status", what, in.bytes());
}

void is_complete(int rank) {
  const int peer = 1 - rank;
  std::uint32_t number = 0;
  for (const Shape shape : {Shape::contiguous, Shape::rows, Shape::columns})
    for (const std::size_t bytes : {std::size_t{768}, 9 * KiB, 300 * KiB, MiB}) {
      ++number;
      Large out(shape, bytes), in(shape, bytes);
      MPI_Request receive = MPI_REQUEST_NULL, send = MPI_REQUEST_NULL;
      out.fill(number);
      MPI_Irecv(in.base(), in.count(), in.type(), peer, 0, world, &receive);
      MPI_Isend(out.base(), out.count(), out.type(), peer, 0, world, &send);
      complete(receive, in, number, "MPI_Irecv");
      if (!poll(send)) expect("is never complete", "MPI_Isend", out.bytes());
      MPI_Wait(&send, MPI_STATUS_IGNORE);

      in.clear();
      MPI_Isendrecv(out.base(), out.count(), out.type(), peer, 1, in.base(), in.count(), in.type(), peer, 1, world, &receive);
      complete(receive, in, number, "MPI_Isendrecv");

      MPI_Recv_init(in.base(), in.count(), in.type(), peer, 2, world, &receive);
      for (int turn = 0; turn < 2; ++turn) {
        in.clear();
        MPI_Start(&receive);
        MPI_Isend(out.base(), out.count(), out.type(), peer, 2, world, &send);
        complete(receive, in, number, "MPI_Recv_init");
        MPI_Wait(&send, MPI_STATUS_IGNORE);
      }
      MPI_Request_free(&receive);

      in.clear();
      const int counts_out[2] = {rank == 1 ? out.count() : 0, rank == 0 ? out.count() : 0};
      const int places[2] = {0, 0};
      const MPI_Datatype types[2] = {out.type(), out.type()};
      MPI_Alltoallw(out.base(), counts_out, places, types, in.base(), counts_out, places, types, world);
      in.clear();
      MPI_Ialltoallw(out.base(), counts_out, places, types, in.base(), counts_out, places, types, world, &receive);
      complete(receive, in, number, "MPI_Ialltoallw");
    }
}

int heard = 0;
void hear(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++heard; }

/// A receive that is truncated.
void hear_once(int rank) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(hear, &handler);
  for (const MPI_Comm comm : {world, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
  for (int i = 0; i < 4; ++i) {
    const Shape shape = i % 2 ? Shape::columns : Shape::contiguous;
    const bool persistent = i / 2;
    Large out(shape, 1536), in(shape, 768);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
      MPI_Send(out.base(), out.count(), out.type(), 1, 0, world);
      continue;
    }
    heard = 0;
    if (persistent) {
      MPI_Recv_init(in.base(), in.count(), in.type(), 0, 0, world, &request);
      MPI_Start(&request);
    } else {
      MPI_Irecv(in.base(), in.count(), in.type(), 0, 0, world, &request);
    }
    if (!poll(request)) expect("is never complete", "a truncated receive", in.bytes());
    if (heard != 0) expect("is an error that the question raises", "a truncated receive", in.bytes());
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (heard != 1)
      expect("is not heard of once", persistent ? "a truncated persistent receive" : "a truncated receive", in.bytes());
    if (persistent) MPI_Request_free(&request);
  }
  for (const MPI_Comm comm : {world, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

/// Heddle carries no message to any rank of it.
void is_hosts_alone(MPI_Comm comm, const char* what) {
  const auto seen = reinterpret_cast<int (*)(MPI_Comm, int)>(dlsym(RTLD_DEFAULT, "heddle_seen_world_rank"));
  for (int rank = 0; seen && rank < 2; ++rank)
    if (seen(comm, rank) != -1) expect("is not the host's alone", what, 0);
}

void streams(int rank) {
  MPI_Comm comm = MPI_COMM_NULL, twin = MPI_COMM_NULL;
  if (MPIX_Stream_comm_create(world, MPIX_STREAM_NULL, &comm) != MPI_SUCCESS) return;
  MPI_Comm_dup(comm, &twin);
  for (const MPI_Comm each : {comm, twin}) {
    is_hosts_alone(each, "a communicator of streams");
    Large data(Shape::columns, MiB);
    if (rank == 0) {
      data.fill(5);
      MPI_Send(data.base(), data.count(), data.type(), 1, 0, each);
    } else {
      MPI_Recv(data.base(), data.count(), data.type(), 0, 0, each, MPI_STATUS_IGNORE);
      expect(data.wrong(5), "MPI_Recv over streams", data.bytes());
    }
  }
  MPI_Comm_free(&twin);
  MPI_Comm_free(&comm);
}

/// Each thread sends to the next thread, within the process and from process to process.
void of_threads() {
  constexpr int threads = 2;
  MPI_Comm comm = MPI_COMM_NULL;
  if (MPIX_Threadcomm_init(world, threads, &comm) != MPI_SUCCESS) return;
  is_hosts_alone(comm, "a communicator of threads");
  const auto body = [&comm] {
    int me = 0, all = 0;
    MPIX_Threadcomm_start(comm);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    for (const std::size_t bytes : {9 * KiB, 300 * KiB}) {
      Large out(Shape::columns, bytes), in(Shape::columns, bytes);
      MPI_Request request = MPI_REQUEST_NULL;
      out.fill(static_cast<std::uint32_t>(me));
      MPI_Irecv(in.base(), in.count(), in.type(), (me + all - 1) % all, 0, comm, &request);
      MPI_Send(out.base(), out.count(), out.type(), (me + 1) % all, 0, comm);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(in.wrong(static_cast<std::uint32_t>((me + all - 1) % all)), "a message between threads", in.bytes());
    }
    MPIX_Threadcomm_finish(comm);
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(body);
  body();
  for (std::thread& each : others) each.join();
  MPIX_Threadcomm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  alarm(250);
  int level = 0, rank = 0;
  const bool several = argc > 1;
  MPI_Init_thread(&argc, &argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(world, &rank);
  is_complete(rank);
  streams(rank);
  if (several) of_threads();
  hear_once(rank);
  MPI_Finalize();
  return wrong ? 1 : 0;
}

#else

int main() { return 77; }

#endif
