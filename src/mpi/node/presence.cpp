// mpi/node/presence.cpp: a question that a rank without Heddle leaves unanswered, and so must not be waited for without end.
#include "mpi/node/presence.hpp"

#include <chrono>
#include <string>
#include <thread>

#include "engine/wait.hpp"
#include "mpi/host.hpp"
#include "mpi/say.hpp"

namespace heddle::mpi {
namespace {

/// Beside the wishes: a digest and its complement, so that of what all have said both are whole only where all digests were
/// equal.
constexpr unsigned bits = 12;
constexpr unsigned mask = (1U << bits) - 1;
constexpr unsigned begin = 8;

unsigned digest_of(std::string_view text) {
  unsigned digest = 0;
  for (const char c : text) digest = (digest * 31 + static_cast<unsigned char>(c)) & mask;
  return digest << begin | (~digest & mask) << (begin + bits);
}

bool digests_are_equal(unsigned of_all) { return (((of_all >> begin) | (of_all >> (begin + bits))) & mask) == mask; }

/// Of the wishes alone.
unsigned agreed(unsigned all, const char* name) {
  if ((all & wish_exchange) && !digests_are_equal(all)) {
    int rank = 0;
    const std::string text = std::string(name) +
                             " is not the same on all ranks: collectives are left to the MPI library. Set it "
                             "for all, or for none.";
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0) say(text.c_str());
    all &= ~wish_exchange;
  }
  return all & ((1U << begin) - 1);
}

}  // namespace

unsigned wished_by_all(unsigned wishes, std::string_view setting, const char* name) noexcept {
  // All ranks have left the host's MPI_Init, or are about to: a minute is far beyond the skew of any launcher.
  constexpr std::chrono::seconds patience(60);
  const unsigned mine = wishes | digest_of(setting);
  unsigned all = 0;
  int answered = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(&mine, &all, 1, MPI_UNSIGNED, MPI_BAND, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return 0;
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
  return answered ? agreed(all, name) : 0;
}

}  // namespace heddle::mpi
