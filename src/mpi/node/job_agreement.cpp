// mpi/node/job_agreement.cpp: what all ranks find out together in MPI_Init.
//
// A rank without Heddle does not answer agree(), so agree() must not wait forever. It uses
// messages. A collective would match the first collective that a rank without Heddle calls.
#include "mpi/node/job_agreement.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/wait.hpp"
#include "engine/start/init_handshake.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "transport/machine.hpp"

namespace heddle::mpi {
namespace {

using engine::Handshake;

/// The highest tag, which programs hardly use. A rank without Heddle must leave the message alone.
int tag() {
  int* highest = nullptr;
  int found = 0;
  return PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&highest), &found) == MPI_SUCCESS && found ? *highest
                                                                                                                      : 32767;
}

/// Messages at the start of a job.
class Question {
 public:
  explicit Question(int patience_s) : patience_s_(patience_s) {}

  bool tell(const Handshake& what, int to) {
    MPI_Request request = MPI_REQUEST_NULL;
    return PMPI_Isend(&what, length, MPI_UNSIGNED, to, tag_, MPI_COMM_WORLD, &request) == MPI_SUCCESS && wait(request);
  }
  /// Empty: MPI has refused. Ends the job if the other rank does not answer.
  std::optional<Handshake> hear(int from) {
    Handshake theirs;
    MPI_Request request = MPI_REQUEST_NULL;
    if (PMPI_Irecv(&theirs, length, MPI_UNSIGNED, from, tag_, MPI_COMM_WORLD, &request) != MPI_SUCCESS || !wait(request))
      return {};
    if (!theirs.is_one()) end("rank " + std::to_string(from) + " has sent something else");
    return theirs;
  }

 private:
  static constexpr int length = engine::handshake_numbers;

  bool wait(MPI_Request& request) {
    engine::Patience waiting(true);
    int done = 0;
    while (PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
      if (done) return true;
      waiting.pause();
      if (std::chrono::steady_clock::now() > until_) end("no answer for " + std::to_string(patience_s_) + " s");
    }
    return false;
  }
  static void end(const std::string& why) { end_job(engine::not_all_run_heddle(why).c_str()); }

  // All ranks leave the host's MPI_Init at about the same time. The default of a minute is far
  // beyond the skew of any launcher.
  const int patience_s_;
  const std::chrono::steady_clock::time_point until_ = std::chrono::steady_clock::now() + std::chrono::seconds(patience_s_);
  const int tag_ = tag();
};

select::Links& links() noexcept {
  static select::Links links = traits().host == Host::openmpi ? select::openmpi_links : select::mpich_links;
  return links;
}

/// Splits the ranks of a node, as if they were on `nodes` nodes.
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
  int me = 0, ranks = 0;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS) return {};
  Handshake mine(wishes, values, set.nodes > 1 ? "" : transport::machine());
  transport::CommonFile file;
  if (wishes & wish_node) {
    const transport::NodeOptions options = node_options(set);
    if (me == 0 && set.nodes == 1) file.make(ranks, options);
    mine.shares(transport::CommonFile::terms(options), me == 0 ? &file.offer() : nullptr);
  }
  Question question(set.patience_s);
  const std::optional<Handshake> all = engine::handshake_of_all(
      mine, me, ranks, [&](const Handshake& what, int to) { return question.tell(what, to); },
      [&](int from) { return question.hear(from); });
  if (!all) return {};
  const engine::Granted found = engine::granted(*all, names);
  if (!found.complaint.empty() && me == 0) say(found.complaint.c_str());
  file.hear(all->offered().value_or(transport::Offer{}));
  return {.wishes = found.wishes, .one_machine = engine::same(all->machine), .file = std::move(file)};
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
    if (transport::Assembly* const ranks = MpiNode::starting()) {
      std::copy_n(mine, numbers, most);
      ranks->reduce(std::span(most, static_cast<std::size_t>(numbers)), [](double a, double b) { return std::max(a, b); });
      return true;
    }
    return PMPI_Allreduce(mine, most, numbers, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) == MPI_SUCCESS;
  });
}

}  // namespace heddle::mpi
