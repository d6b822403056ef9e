// killed [none]: all ranks send large messages round the ring, until rank 1 is killed in the midst
// of it. They stop after a second if the argument is `none`. Each rank prints its process and the
// shared memory that it maps by a name, because these could stay behind (killed.py).
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <set>
#include <string_view>

#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::Shape;

namespace {

void say_what_could_stay() {
  std::set<std::string> names;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path == std::string::npos || line.find("(deleted)") != std::string::npos) continue;
    if (line.find("rw-s") != std::string::npos || line.find("r--s") != std::string::npos) names.insert(line.substr(path));
  }
  std::string all = "process " + std::to_string(getpid()) + "\n";
  for (const std::string& name : names) all += "maps " + name + "\n";
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, all.data(), all.size());
}

void die(int /*signal*/) { kill(getpid(), SIGKILL); }

}  // namespace

int main(int argc, char** argv) {
  const bool kill_one = argc < 2 || std::string_view(argv[1]) != "none";
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  {
    Large out(Shape::pairs, 900 * KiB), in(Shape::rows, 900 * KiB), small(Shape::rows, 10 * KiB);
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    const auto start = std::chrono::steady_clock::now();
    for (int turn = 0, going = 1; going; ++turn) {
      MPI_Sendrecv(out.base(), out.count(), out.type(), next, 1, in.base(), in.count(), in.type(), previous, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
      MPI_Request requests[2];
      MPI_Irecv(in.base(), in.count(), in.type(), previous, 2, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(small.base(), small.count(), small.type(), next, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      if (turn == 5) {
        say_what_could_stay();
        if (kill_one && rank == 1) {
          std::signal(SIGALRM, die);
          const itimerval soon{{0, 0}, {0, 50000 + getpid() % 1000}};
          setitimer(ITIMER_REAL, &soon, nullptr);
        }
      }
      if (!kill_one) {
        going = std::chrono::steady_clock::now() - start < std::chrono::seconds(1);
        MPI_Allreduce(MPI_IN_PLACE, &going, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      }
    }
  }
  MPI_Finalize();
}
