// mpi/node/presence.cpp: a question that a rank without Heddle leaves unanswered, and so must not be waited for without end.
#include "mpi/node/presence.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "engine/wait.hpp"
#include "mpi/process/digest.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/say.hpp"

namespace heddle::mpi {
namespace {

/// Settings that there may be.
constexpr std::size_t most = 8;

/// Reduced as one row of numbers.
struct Said {
  Digest settings[most]{};
  unsigned wishes = 0;
};
constexpr int said_numbers = sizeof(Said) / sizeof(unsigned);

/// "A", "A and B", "A, B and C".
std::string differing(const Said& all, std::span<const settings::Shared> shared) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < shared.size(); ++i)
    if (!same(all.settings[i])) names.push_back(shared[i].name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += names[i];
  }
  return text;
}

/// Of the wishes alone.
unsigned agreed(const Said& all, std::span<const settings::Shared> shared) {
  if ((all.wishes & wish_exchange) == 0) return all.wishes;
  const std::string names = differing(all, shared);
  if (names.empty()) return all.wishes;
  int rank = 0;
  const bool several = names.find(' ') != std::string::npos;
  const std::string text = names + (several ? " are" : " is") + " not the same on all ranks: collectives are left to the MPI " +
                           "library. Set " + (several ? "each" : "it") + " for all, or for none.";
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0) say(text.c_str());
  return all.wishes & ~wish_exchange;
}

}  // namespace

unsigned wished_by_all(unsigned wishes, const settings::Settings& set) noexcept {
  // All ranks have left the host's MPI_Init, or are about to: the default, a minute, is far beyond the skew of any launcher.
  const std::chrono::seconds patience(set.patience_s);
  const std::vector<settings::Shared> shared = settings::shared(set);
  Said mine;
  mine.wishes = wishes;
  for (std::size_t i = 0; i < std::min(most, shared.size()); ++i) mine.settings[i] = digest_of(shared[i].value);
  Said all;
  int answered = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (PMPI_Iallreduce(&mine, &all, said_numbers, MPI_UNSIGNED, MPI_BAND, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return 0;
  const auto since = std::chrono::steady_clock::now();
  engine::Patience waiting(true);
  while (PMPI_Test(&request, &answered, MPI_STATUS_IGNORE) == MPI_SUCCESS && !answered) {
    waiting.pause();
    if (std::chrono::steady_clock::now() - since < patience) continue;
    const std::string text = "a rank of this job does not run Heddle (no answer for " + std::to_string(set.patience_s) +
                             " s). Start all ranks with `heddle run`, or set HEDDLE=off for all of them; if ranks start that "
                             "late, set HEDDLE_PATIENCE to more seconds.";
    end_job(text.c_str());
  }
  return answered ? agreed(all, std::span(shared).first(std::min(most, shared.size()))) : 0;
}

}  // namespace heddle::mpi
