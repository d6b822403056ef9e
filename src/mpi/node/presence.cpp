// mpi/node/presence.cpp: a question that a rank without Heddle leaves unanswered, and so must not be waited for without end.
#include "mpi/node/presence.hpp"

#include <chrono>
#include <thread>

#include "engine/wait.hpp"
#include "mpi/host.hpp"
#include "mpi/say.hpp"

namespace heddle::mpi {

unsigned wished_by_all(unsigned wishes) noexcept {
  // All ranks have left the host's MPI_Init, or are about to: a minute is far beyond the skew of any launcher.
  constexpr std::chrono::seconds patience(60);
  unsigned all = 0;
  int answered = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(&wishes, &all, 1, MPI_UNSIGNED, MPI_BAND, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return 0;
  const auto since = std::chrono::steady_clock::now();
  engine::Patience waiting(true);
  while (PMPI_Test(&request, &answered, MPI_STATUS_IGNORE) == MPI_SUCCESS && !answered) {
    waiting.pause();
    if (std::chrono::steady_clock::now() - since < patience) continue;
    say("a rank of this job does not run Heddle (no answer for a minute). Start all ranks with `heddle run`, or set HEDDLE=off "
        "for all of them.");
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // MPICH's launcher drops what it has not passed on by then
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  return answered ? all : 0;
}

}  // namespace heddle::mpi
