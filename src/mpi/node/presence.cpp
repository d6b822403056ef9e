// mpi/node/presence.cpp: a question that a rank without Heddle leaves unanswered, and so must not be waited for without end.
#include "mpi/node/presence.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "engine/wait.hpp"
#include "mpi/host.hpp"
#include "mpi/say.hpp"

namespace heddle::mpi {
namespace {

/// Settings that there may be.
constexpr std::size_t most = 8;

/// The wishes, then of each setting a digest and its complement: of what all have said both are whole only where all digests
/// were equal.
using Words = std::array<unsigned, most + 1>;
constexpr unsigned bits = 16;
constexpr unsigned mask = (1U << bits) - 1;

unsigned digest_of(std::string_view text) {
  unsigned digest = 0;
  for (const char c : text) digest = (digest * 31 + static_cast<unsigned char>(c)) & mask;
  return digest | (~digest & mask) << bits;
}

bool equal(unsigned of_all) { return ((of_all | (of_all >> bits)) & mask) == mask; }

/// "A", "A and B", "A, B and C".
std::string differing(const Words& all, std::span<const settings::Shared> shared) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < shared.size(); ++i)
    if (!equal(all[i + 1])) names.push_back(shared[i].name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += names[i];
  }
  return text;
}

/// Of the wishes alone.
unsigned agreed(const Words& all, std::span<const settings::Shared> shared) {
  if ((all[0] & wish_exchange) == 0) return all[0];
  const std::string names = differing(all, shared);
  if (names.empty()) return all[0];
  int rank = 0;
  const bool several = names.find(' ') != std::string::npos;
  const std::string text = names + (several ? " are" : " is") + " not the same on all ranks: collectives are left to the MPI " +
                           "library. Set " + (several ? "each" : "it") + " for all, or for none.";
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0) say(text.c_str());
  return all[0] & ~wish_exchange;
}

}  // namespace

unsigned wished_by_all(unsigned wishes, std::span<const settings::Shared> shared) noexcept {
  // All ranks have left the host's MPI_Init, or are about to: a minute is far beyond the skew of any launcher.
  constexpr std::chrono::seconds patience(60);
  Words mine{wishes};
  for (std::size_t i = 0; i < std::min(most, shared.size()); ++i) mine[i + 1] = digest_of(shared[i].value);
  Words all{};
  int answered = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_UNSIGNED, MPI_BAND, MPI_COMM_WORLD,
                      &request) != MPI_SUCCESS)
    return 0;
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
  return answered ? agreed(all, shared.first(std::min(most, shared.size()))) : 0;
}

}  // namespace heddle::mpi
