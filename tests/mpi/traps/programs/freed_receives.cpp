// freed_receives CASE: receives whose requests are freed before a message comes. The data must be
// in place as soon as the program can know that they have come. Ends with 0 if they are. 2 ranks.
// Cases:
//   calls      the program learns of them by any call
//   threads    the same, while another thread is in MPI
//   finalize   MPI_Finalize waits for the messages (MPICH: with MPIR_CVAR_FINALIZE_WAIT=1)
//   never      nothing comes, and MPI_Finalize returns
//   beside     receives that overlap lose announcements: the search for their messages spares that of a freed receive
//   absent     between nodes: the sender stops, and a thread waits for its message. Another thread's calls return
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::Shape;

namespace {

constexpr Shape kinds[] = {Shape::contiguous, Shape::rows, Shape::columns};
constexpr std::size_t sizes[] = {768, 4 * KiB, 300 * KiB};
const MPI_Comm world = MPI_COMM_WORLD;
constexpr int tag = 3, flag_tag = 4;
int wrong = 0;

void check(Large& in, std::uint32_t number, const char* learned_by) {
  const std::string complaint = in.wrong(number);
  if (complaint.empty()) return;
  std::printf("wrong: %d bytes, learned by %s: %s\n", in.bytes(), learned_by, complaint.c_str());
  ++wrong;
}

void post(Large& in, bool persistent) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (persistent) {
    MPI_Recv_init(in.base(), in.count(), in.type(), 0, tag, world, &request);
    MPI_Start(&request);
  } else {
    MPI_Irecv(in.base(), in.count(), in.type(), 0, tag, world, &request);
  }
  MPI_Request_free(&request);
}

/// A way in which rank 1 learns that rank 0's earlier message is there.
struct Way {
  const char* name;
  bool after_all;   ///< Also for a message in pieces, whose sender goes on before the last piece arrives.
  void (*tell)();   ///< Rank 0's call.
  void (*learn)();  ///< Rank 1's call.
};

int flag = 1;
void tell() { MPI_Send(&flag, 1, MPI_INT, 1, flag_tag, world); }
void take_from(int rank) { MPI_Recv(nullptr, 0, MPI_INT, rank, flag_tag, world, MPI_STATUS_IGNORE); }
void take() { MPI_Recv(&flag, 1, MPI_INT, 0, flag_tag, world, MPI_STATUS_IGNORE); }
MPI_Request begin() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&flag, 1, MPI_INT, 0, flag_tag, world, &request);
  return request;
}
[[maybe_unused]] void meet() { MPI_Barrier(world); }
[[maybe_unused]] void sum() {
  int all = 0;
  MPI_Allreduce(&flag, &all, 1, MPI_INT, MPI_SUM, world);
}
[[maybe_unused]] void sum_at_rank_1() {
  int all = 0;
  MPI_Reduce(&flag, &all, 1, MPI_INT, MPI_SUM, 1, world);
}
MPI_Win window = MPI_WIN_NULL;
[[maybe_unused]] void fence() { MPI_Win_fence(0, window); }

constexpr Way ways[] = {
    {"MPI_Recv", true, tell, take},
    {"MPI_Wait", true, tell,
     [] {
       MPI_Request request = begin();
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"MPI_Test", true, tell,
     [] {
       MPI_Request request = begin();
       for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
     }},
    {"MPI_Testany", true, tell,
     [] {
       MPI_Request request = begin();
       for (int done = 0, index = 0; !done;) MPI_Testany(1, &request, &index, &done, MPI_STATUS_IGNORE);
     }},
    {"MPI_Waitall", true, tell,
     [] {
       MPI_Request request = begin();
       MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
     }},
    {"MPI_Waitany", true, tell,
     [] {
       MPI_Request request = begin();
       int index = 0;
       MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
     }},
    {"MPI_Waitsome", true, tell,
     [] {
       MPI_Request request = begin();
       int index = 0, completed = 0;
       MPI_Waitsome(1, &request, &completed, &index, MPI_STATUSES_IGNORE);
     }},
    {"MPI_Testall", true, tell,
     [] {
       MPI_Request request = begin();
       for (int done = 0; !done;) MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
     }},
    {"MPI_Ssend", false, [] { MPI_Recv(&flag, 1, MPI_INT, 1, flag_tag, world, MPI_STATUS_IGNORE); },
     [] { MPI_Ssend(&flag, 1, MPI_INT, 0, flag_tag, world); }},
    {"MPI_Sendrecv", true,
     [] { MPI_Sendrecv(&flag, 1, MPI_INT, 1, flag_tag, &flag, 0, MPI_INT, 1, flag_tag, world, MPI_STATUS_IGNORE); },
     [] { MPI_Sendrecv(&flag, 0, MPI_INT, 0, flag_tag, &flag, 1, MPI_INT, 0, flag_tag, world, MPI_STATUS_IGNORE); }},
#ifdef OPEN_MPI  // MPICH 5.0.2 does not carry collectives by messages: they overtake
    {"MPI_Barrier", false, meet, meet},
    {"MPI_Allreduce", false, sum, sum},
    {"MPI_Reduce", false, sum_at_rank_1, sum_at_rank_1},
    {"MPI_Win_fence", false, fence, fence},
    {"MPI_Bcast", false, [] { MPI_Bcast(&flag, 1, MPI_INT, 0, world); }, [] { MPI_Bcast(&flag, 1, MPI_INT, 0, world); }},
    {"MPI_Comm_dup", false,
     [] {
       MPI_Comm made = MPI_COMM_NULL;
       MPI_Comm_dup(world, &made);
       MPI_Comm_free(&made);
     },
     [] {
       MPI_Comm made = MPI_COMM_NULL;
       MPI_Comm_dup(world, &made);
       MPI_Comm_free(&made);
     }},
#endif
};

/// A way in which rank 1 learns that the flag is there. The flag stays until it is taken.
struct Probe {
  const char* name;
  void (*learn)();
  void (*take)();
};

MPI_Message matched = MPI_MESSAGE_NULL;
void take_matched() { MPI_Mrecv(&flag, 1, MPI_INT, &matched, MPI_STATUS_IGNORE); }

constexpr Probe probes[] = {
    {"MPI_Iprobe",
     [] {
       for (int found = 0; !found;) MPI_Iprobe(0, flag_tag, world, &found, MPI_STATUS_IGNORE);
     },
     take},
    {"MPI_Probe", [] { MPI_Probe(0, flag_tag, world, MPI_STATUS_IGNORE); }, take},
    {"MPI_Mprobe", [] { MPI_Mprobe(0, flag_tag, world, &matched, MPI_STATUS_IGNORE); }, take_matched},
};

void by_every_call(int rank) {
  std::uint32_t number = 0;
  for (const bool persistent : {false, true})
    for (const Shape kind : kinds)
      for (const std::size_t bytes : sizes)
        for (const Way& way : ways) {
          if ((persistent && &way != ways) || (!way.after_all && bytes > 4 * KiB)) continue;
          number += 2;
          Large data(kind, bytes);
          if (rank == 0) {
            data.fill(number);
            MPI_Recv(nullptr, 0, MPI_INT, 1, flag_tag, world, MPI_STATUS_IGNORE);
            MPI_Send(data.base(), data.count(), data.type(), 1, tag, world);
            way.tell();
          } else {
            post(data, persistent);
            MPI_Send(nullptr, 0, MPI_INT, 0, flag_tag, world);
            way.learn();
            check(data, number, way.name);
          }
          if (rank == 0) {
            MPI_Recv(nullptr, 0, MPI_INT, 1, flag_tag, world, MPI_STATUS_IGNORE);
            data.fill(number + 1);
            MPI_Send(data.base(), data.count(), data.type(), 1, tag, world);
            tell();
          } else {
            data.clear();
            post(data, persistent);
            MPI_Send(nullptr, 0, MPI_INT, 0, flag_tag, world);
            const Probe& probe = probes[number / 2 % std::size(probes)];
            probe.learn();
            check(data, number + 1, probe.name);
            probe.take();
          }
        }
}

/// Three messages of one length: for a freed receive, and for two receives that share a buffer. The
/// one whose announcement is written over must get the second message, and not the first.
void beside_overlapping(int rank) {
  constexpr std::size_t bytes = 48 * KiB;
  MPI_Request requests[3];
  if (rank == 0) {
    Large first(Shape::columns, bytes), second(Shape::columns, bytes), third(Shape::columns, bytes);
    MPI_Recv(nullptr, 0, MPI_INT, 1, flag_tag, world, MPI_STATUS_IGNORE);
    std::uint32_t number = 0;
    for (Large* const each : {&first, &second, &third}) {
      each->fill(++number);
      MPI_Isend(each->base(), each->count(), each->type(), 1, tag, world, &requests[number - 1]);
    }
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    tell();
  } else {
    Large freed(Shape::contiguous, bytes), shared(Shape::contiguous, bytes);
    post(freed, false);
    for (const int i : {1, 0}) MPI_Irecv(shared.base(), shared.count(), shared.type(), 0, tag, world, &requests[i]);
    MPI_Send(nullptr, 0, MPI_INT, 0, flag_tag, world);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    take();
    check(freed, 1, "MPI_Recv, beside receives that overlap");
    for (const MPI_Status& status : statuses) {
      int arrived = 0;
      MPI_Get_count(&status, MPI_BYTE, &arrived);
      if (arrived == shared.bytes()) continue;
      std::printf("wrong: a receive of %d bytes got %d\n", shared.bytes(), arrived);
      ++wrong;
    }
  }
}

/// Waits until process `pid` has stopped (proc(5): the state follows the name, which is in
/// brackets).
void await_stop_of(int pid) {
  for (;; usleep(1000)) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    const std::string line{std::istreambuf_iterator<char>(file), {}};
    const std::size_t end = line.rfind(") ");
    if (end == std::string::npos || line.substr(end + 2, 1) == "T") return;
  }
}

/// Rank 0 begins a message and stops. Of two threads of rank 1, the one that sees the message first
/// waits for the rest. Rank 0 goes on when the other thread has made enough calls: no clock
/// decides. Until the threads begin, the ranks meet by signals, because any MPI call could see the
/// message.
void of_absent_sender(int rank) {
  Large data(Shape::columns, 300 * KiB);
  for (std::uint32_t i = 0; i < 100; ++i) {  // until messages go by the fabric
    if (rank == 0) {
      data.fill(i);
      MPI_Send(data.base(), data.count(), data.type(), 1, tag, world);
      take_from(1);
    } else {
      data.clear();
      MPI_Recv(data.base(), data.count(), data.type(), 0, tag, world, MPI_STATUS_IGNORE);
      check(data, i, "MPI_Recv");
      MPI_Send(nullptr, 0, MPI_INT, 0, flag_tag, world);
    }
    usleep(5000);
  }
  int pid = getpid();
  if (rank == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // the launcher may end while this process is stopped
    MPI_Request request = MPI_REQUEST_NULL;
    data.fill(100);
    MPI_Send(&pid, 1, MPI_INT, 1, flag_tag, world);
    raise(SIGSTOP);
    MPI_Isend(data.base(), data.count(), data.type(), 1, tag, world, &request);
    raise(SIGSTOP);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    tell();
    return;
  }
  MPI_Recv(&pid, 1, MPI_INT, 0, flag_tag, world, MPI_STATUS_IGNORE);
  data.clear();
  post(data, false);
  await_stop_of(pid);
  kill(pid, SIGCONT);
  await_stop_of(pid);
  constexpr long enough = 20;
  std::atomic<bool> over{false};
  std::atomic<long> calls[2]{}, at_entry[2]{};  // of each thread: its calls, and the other's when its last call began
  const auto probe = [&](int me, MPI_Comm comm) {
    for (int found = 0; !over; ++calls[me]) {
      at_entry[me] = calls[1 - me].load();
      MPI_Iprobe(0, flag_tag, comm, &found, MPI_STATUS_IGNORE);
    }
  };
  std::thread one(probe, 0, world), other(probe, 1, MPI_COMM_SELF);  // either thread may be the one that waits
  long meanwhile = 0;
  for (int i = 0; i < 20000 && meanwhile < enough; ++i) {
    usleep(1000);
    meanwhile = std::max(calls[1] - at_entry[0], calls[0] - at_entry[1]);
  }
  kill(pid, SIGCONT);
  over = true;
  one.join();
  other.join();
  if (meanwhile < enough) {
    std::printf("wrong: while one thread waited, the other made %ld calls\n", meanwhile);
    ++wrong;
  }
  take();
  check(data, 100, "MPI_Recv, after its sender was absent");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  alarm(200);
  int level = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, what == "threads" || what == "absent" ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(world, &rank);
  if (what == "calls" || what == "threads") MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, world, &window);
  std::vector<Large*> data;  // never deleted: no datatype is freed after MPI_Finalize
  if (what == "calls") by_every_call(rank);
  if (what == "threads") {
    std::atomic<bool> over{false};
    std::thread other([&over] {
      for (int found = 0; !over;) {
        MPI_Iprobe(0, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
        usleep(50);
      }
    });
    by_every_call(rank);
    over = true;
    other.join();
  }
  if (what == "beside") beside_overlapping(rank);
  if (what == "absent" && level == MPI_THREAD_MULTIPLE) of_absent_sender(rank);
  if (what == "finalize" || what == "never") {
    for (const Shape kind : kinds)
      for (const std::size_t bytes : sizes) data.push_back(new Large(kind, bytes));
    if (rank == 1)
      for (Large* const one : data) post(*one, false);
    if (rank == 0) usleep(100000);
    for (std::uint32_t number = 0; rank == 0 && what == "finalize" && number < data.size(); ++number) {
      Large& one = *data[number];
      one.fill(number);
      MPI_Send(one.base(), one.count(), one.type(), 1, tag, world);
    }
  }
  if (what == "calls" || what == "threads") MPI_Win_free(&window);
  MPI_Finalize();
  if (rank == 1 && what == "finalize")
    for (std::uint32_t number = 0; number < data.size(); ++number) check(*data[number], number, "MPI_Finalize");
  return wrong ? 1 : 0;
}
