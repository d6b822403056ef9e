// mpi/node/presence.cpp: a question that a rank without Heddle leaves unanswered, and so must not be waited for without end.
//
// It goes by messages, not by a collective: that would be answered by whatever collective a rank without Heddle calls first.
// In round p rank r tells r + 2^p all that it has heard, and hears r - 2^p (mod P): after ceil(log2 P) rounds everybody has
// heard everybody (dissemination; "and" may hear a rank twice).
#include "mpi/node/presence.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/digest.hpp"
#include "engine/wait.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/say.hpp"
#include "transport/machine.hpp"

namespace heddle::mpi {
namespace {

/// Settings that there may be.
constexpr std::size_t most = 8;

/// Of one rank, or of all that it has heard: bit by bit what all of them say.
struct Said {
  std::array<unsigned, 4> mark{0x48656464, 0x6c653a20, 0x77686f20, 0x69733f0a};  // nobody else begins a message so
  engine::Digest settings[most]{};
  engine::Digest machine{};  // never the same: not known, or not wanted
  unsigned wishes = 0;
};
constexpr std::size_t said_numbers = sizeof(Said) / sizeof(unsigned);

Said both(const Said& one, const Said& other) {
  using Numbers = std::array<unsigned, said_numbers>;
  auto numbers = std::bit_cast<Numbers>(one);
  const auto others = std::bit_cast<Numbers>(other);
  std::ranges::transform(numbers, others, numbers.begin(), std::bit_and());
  return std::bit_cast<Said>(numbers);
}

/// The highest tag, which programs hardly use: a rank without Heddle is to leave the message where it is.
int tag() {
  int* highest = nullptr;
  int found = 0;
  return PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &found) == MPI_SUCCESS && found ? *highest
                                                                                                                      : 32767;
}

class Question {
 public:
  explicit Question(int patience_s) : patience_s_(patience_s) {}

  /// Tells `to`, and hears `from`. Empty: MPI has refused. Ends the job if nobody answers.
  std::optional<Said> ask(const Said& mine, int to, int from) {
    constexpr int length = static_cast<int>(said_numbers);
    Said theirs;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    if (PMPI_Irecv(&theirs, length, MPI_UNSIGNED, from, tag_, MPI_COMM_WORLD, &requests[0]) != MPI_SUCCESS) return {};
    if (PMPI_Isend(&mine, length, MPI_UNSIGNED, to, tag_, MPI_COMM_WORLD, &requests[1]) != MPI_SUCCESS) {
      PMPI_Cancel(&requests[0]);  // it would write here when this function is over
      PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      return {};
    }
    engine::Patience waiting(true);
    int answered = 0;
    while (PMPI_Testall(2, requests, &answered, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !answered) {
      waiting.pause();
      if (std::chrono::steady_clock::now() > until_) end("no answer for " + std::to_string(patience_s_) + " s");
    }
    if (!answered) return {};
    if (theirs.mark != Said().mark) end("rank " + std::to_string(from) + " has sent something else");
    return theirs;
  }

 private:
  static void end(const std::string& why) {
    const std::string text = "a rank of this job does not run Heddle (" + why +
                             "). Start all ranks with `heddle run`, or set HEDDLE=off for all of them; if ranks start that "
                             "late, set HEDDLE_PATIENCE to more seconds.";
    end_job(text.c_str());
  }

  // All ranks have left the host's MPI_Init, or are about to: the default, a minute, is far beyond the skew of any launcher.
  const int patience_s_;
  const std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s_);
  const int tag_ = tag();
};

/// "A", "A and B", "A, B and C".
std::string differing(const Said& all, std::span<const settings::Shared> shared) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < shared.size(); ++i)
    if (!engine::same(all.settings[i])) names.push_back(shared[i].name);
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

Agreed agree(unsigned wishes, const settings::Settings& set) noexcept {
  const std::vector<settings::Shared> shared = settings::shared(set);
  const std::span compared = std::span(shared).first(std::min(most, shared.size()));
  Said all;
  all.wishes = wishes;
  for (std::size_t i = 0; i < compared.size(); ++i) all.settings[i] = engine::digest_of(compared[i].value);
  if (const std::string machine = set.nodes > 1 ? "" : transport::machine(); !machine.empty())
    all.machine = engine::digest_of(machine);
  int me = 0, ranks = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS) return {};
  Question question(set.patience_s);
  for (long reach = 1; reach < ranks; reach *= 2) {
    const auto at = [&](long distance) { return static_cast<int>((me + distance + ranks) % ranks); };
    const std::optional<Said> theirs = question.ask(all, at(reach), at(-reach));
    if (!theirs) return {};
    all = both(all, *theirs);
  }
  return {.wishes = agreed(all, compared), .one_machine = engine::same(all.machine)};
}

}  // namespace heddle::mpi
