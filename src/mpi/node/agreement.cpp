// mpi/node/agreement.cpp: what all ranks find out together in MPI_Init.
//
// agree() is a question that a rank without Heddle leaves unanswered, and so must not be waited for without end. It goes by
// messages, not by a collective: that would be answered by whatever collective a rank without Heddle calls first.
#include "mpi/node/agreement.hpp"

#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/said.hpp"
#include "engine/wait.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "transport/machine.hpp"

namespace heddle::mpi {
namespace {

using engine::Said;

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
    constexpr int length = engine::said_numbers;
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
    if (!theirs.is_one()) end("rank " + std::to_string(from) + " has sent something else");
    return theirs;
  }

 private:
  static void end(const std::string& why) { end_job(engine::not_all_run_heddle(why).c_str()); }

  // All ranks have left the host's MPI_Init, or are about to: the default, a minute, is far beyond the skew of any launcher.
  const int patience_s_;
  const std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s_);
  const int tag_ = tag();
};

select::Links& links() noexcept {
  static select::Links links = traits().host == Host::openmpi ? select::openmpi_links : select::mpich_links;
  return links;
}

/// Ranks of a node are taken for ranks of so many.
void split(MPI_Comm& ranks, int nodes) noexcept {
  int rank = 0;
  int size = 1;
  MPI_Comm whole = ranks;
  if (PMPI_Comm_rank(whole, &rank) != MPI_SUCCESS || PMPI_Comm_size(whole, &size) != MPI_SUCCESS) return;
  const auto part = static_cast<int>(static_cast<long long>(rank) * nodes / size);
  if (PMPI_Comm_split(whole, part, rank, &ranks) == MPI_SUCCESS) PMPI_Comm_free(&whole);
}

}  // namespace

Agreed agree(unsigned wishes, const settings::Settings& set) noexcept {
  std::vector<std::string_view> names, values;
  const std::vector<settings::Shared> shared = settings::shared(set);
  for (const settings::Shared& each : shared) {
    names.push_back(each.name);
    values.push_back(each.value);
  }
  const Said mine(wishes, values, set.nodes > 1 ? "" : transport::machine());
  int me = 0, ranks = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS) return {};
  Question question(set.patience_s);
  const std::optional<Said> all =
      engine::said_by_all(mine, me, ranks, [&](const Said& heard, int to, int from) { return question.ask(heard, to, from); });
  if (!all) return {};
  const engine::Granted found = engine::granted(*all, names);
  if (!found.complaint.empty() && me == 0) say(found.complaint.c_str());
  return {.wishes = found.wishes, .one_machine = engine::same(all->machine)};
}

Placement::Placement(bool one_machine) noexcept {
  if (one_machine) {
    ranks_ = MPI_COMM_WORLD;
    node_ = 0;
    return;
  }
  int first = 0;
  int ranks = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &first) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS ||
      PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, first, MPI_INFO_NULL, &ranks_) != MPI_SUCCESS) {
    ranks_ = MPI_COMM_NULL;
    return;
  }
  if (const int nodes = settings_of_process().nodes; nodes > 1) split(ranks_, nodes);
  int here = 0;
  if (PMPI_Bcast(&first, 1, MPI_INT, 0, ranks_) == MPI_SUCCESS) node_ = first;
  several_ = PMPI_Comm_size(ranks_, &here) == MPI_SUCCESS && here < ranks;
}

Placement::~Placement() {
  if (ranks_ != MPI_COMM_NULL && ranks_ != MPI_COMM_WORLD) PMPI_Comm_free(&ranks_);
}

const select::Links& links_of_job() noexcept { return links(); }

void agree_on_links() noexcept {
  select::Links& all = links();
  try {
    const select::Profile& here = profile_of_machine().profile;
    all = traits().host == Host::openmpi ? here.openmpi : here.mpich;
  } catch (const std::bad_alloc&) {
    say_once_verbose("collectives go by built-in costs of messages", "no memory to read the profile");
  }
  select::reduce(all, [](const double* mine, double* most, int numbers) {
    return PMPI_Allreduce(mine, most, numbers, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS;
  });
}

}  // namespace heddle::mpi
