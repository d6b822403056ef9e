// mpi/lifecycle/between_ranks.cpp: carries the notes of late_ranks.hpp, and compares clocks.
#include "mpi/lifecycle/between_ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/process/process.hpp"
#include "mpi/process/shared_copy.hpp"
#include "report/times.hpp"
#include "transport/machine.hpp"

namespace heddle::mpi {
namespace {

using report::Notes;

/// Steps that may lack memory, between collective calls. If one rank lacks it, all ranks stop.
class Steps {
 public:
  Steps(MPI_Comm comm, int ranks) noexcept : comm_(comm), ranks_(ranks) {}

  template <class Step>
  void run(const Step& step) noexcept {
    if (!able_) return;
    try {
      step();
    } catch (const std::exception&) {
      able_ = false;
    }
  }
  bool all_able() noexcept {
    int able = able_ ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, comm_);
    return able_ = able != 0;
  }
  /// Sends each rank its notes. Returns those that came from each; nothing: a rank has no memory.
  template <class Note>
  std::optional<Notes<Note>> exchange(const std::optional<Notes<Note>>& mine) noexcept {
    std::optional<Notes<Note>> theirs;
    std::vector<int> from, to;  // displacements
    run([&] {
      theirs.emplace(ranks_);
      from.resize(static_cast<std::size_t>(ranks_));
      to.resize(static_cast<std::size_t>(ranks_));
    });
    if (!all_able()) return std::nullopt;
    PMPI_Alltoall(mine->counts.data(), 1, MPI_INT, theirs->counts.data(), 1, MPI_INT, comm_);
    run([&] {
      const auto all = std::accumulate(theirs->counts.begin(), theirs->counts.end(), std::size_t{0});
      if (all > std::numeric_limits<int>::max()) throw std::bad_alloc();  // displacements are ints
      theirs->notes.resize(all);
    });
    if (!all_able()) return std::nullopt;
    std::exclusive_scan(mine->counts.begin(), mine->counts.end(), to.begin(), 0);
    std::exclusive_scan(theirs->counts.begin(), theirs->counts.end(), from.begin(), 0);
    MPI_Datatype note = MPI_DATATYPE_NULL;
    PMPI_Type_contiguous(sizeof(Note), MPI_BYTE, &note);
    PMPI_Type_commit(&note);
    {
      const SharedCopy copy(static_cast<Bytes>(mine->notes.size() * sizeof(Note)));
      PMPI_Alltoallv(mine->notes.data(), mine->counts.data(), to.data(), note, theirs->notes.data(), theirs->counts.data(),
                     from.data(), note, comm_);
    }
    PMPI_Type_free(&note);
    return theirs;
  }

 private:
  MPI_Comm comm_;
  int ranks_;
  bool able_ = true;
};

constexpr int pings = 16;

/// Rank 0's clock minus this rank's clock.
struct Ahead {
  double ns = 0;
  double error = 0;
};

/// Rank 0 reads its clock within each round trip. So each trip gives a least and a greatest
/// difference. The true difference is between the greatest least and the least greatest.
Ahead ahead_by_messages(MPI_Comm comm) noexcept {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < pings; ++i) {
    double theirs = 0;
    const double begin = report::now();
    PMPI_Sendrecv(&theirs, 1, MPI_DOUBLE, 0, 0, &theirs, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    const double end = report::now();
    least = std::max(least, theirs - end);
    greatest = std::min(greatest, theirs - begin);
  }
  return {(least + greatest) / 2, std::abs(greatest - least) / 2};
}

void answer_pings(MPI_Comm comm, int rank) noexcept {
  for (int i = 0; i < pings; ++i) {
    double time = 0;
    PMPI_Recv(&time, 1, MPI_DOUBLE, rank, 0, comm, MPI_STATUS_IGNORE);
    time = report::now();
    PMPI_Send(&time, 1, MPI_DOUBLE, rank, 0, comm);
  }
}

/// A number for this rank's node. 0: none is known, or HEDDLE_NODES imitates several.
std::uint64_t number_of_node() {
  const std::string machine = settings_of_process().nodes > 1 ? std::string() : transport::machine();
  return machine.empty() ? 0 : std::hash<std::string>()(machine) | 1U;
}

/// The difference for this rank, with the largest error in the job. A node has one clock, and its
/// first rank compares it with that of rank 0. A rank whose node has no number compares its own. It
/// makes no communicator: the program may have used up those of the library.
Ahead ahead_of(Steps& steps, MPI_Comm comm, int me, int ranks) noexcept {
  std::vector<std::uint64_t> nodes;
  std::vector<Ahead> ahead;
  steps.run([&] {
    nodes.resize(static_cast<std::size_t>(ranks));
    ahead.resize(nodes.size());
    nodes[static_cast<std::size_t>(me)] = number_of_node();
  });
  if (!steps.all_able()) return {};
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, nodes.data(), 1, MPI_UINT64_T, comm);
  const auto first_of_node = [&](int rank) {
    const std::uint64_t node = nodes[static_cast<std::size_t>(rank)];
    return node == 0 ? rank : static_cast<int>(std::ranges::find(nodes, node) - nodes.begin());
  };
  // Rank by rank: two at once would disturb each other.
  for (int rank = me == 0 ? 1 : me; rank < (me == 0 ? ranks : me + 1); ++rank) {
    if (rank == 0 || first_of_node(rank) != rank) continue;
    if (me == 0)
      answer_pings(comm, rank);
    else
      ahead[static_cast<std::size_t>(me)] = ahead_by_messages(comm);
  }
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, ahead.data(), 2, MPI_DOUBLE, comm);
  return {ahead[static_cast<std::size_t>(first_of_node(me))].ns, std::ranges::max(ahead, {}, &Ahead::error).error};
}

}  // namespace

BetweenRanks between_ranks(MPI_Comm comm, double started, bool timeline, const report::MessageLog* log,
                           report::Report& report) noexcept {
  int me = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &ranks);
  std::array wanted = {log ? 1 : 0, timeline ? 1 : 0};
  PMPI_Allreduce(MPI_IN_PLACE, wanted.data(), 2, MPI_INT, MPI_MIN, comm);
  BetweenRanks times{.began = started};
  if (wanted[0] == 0 && wanted[1] == 0) return times;
  Steps steps(comm, ranks);
  const auto [ahead, error] = ahead_of(steps, comm, me, ranks);
  double began = started + ahead;
  PMPI_Allreduce(MPI_IN_PLACE, &began, 1, MPI_DOUBLE, MPI_MIN, comm);
  times.began = began - ahead;
  if (wanted[0] == 0) return times;
  report::LateRanks late(*log, me, ranks, ahead, error);
  std::optional<Notes<report::Sent>> sent;
  std::optional<Notes<report::Answer>> answers;
  std::vector<int> received, most(0);
  steps.run([&] {
    received = late.received();
    most.resize(received.size());
  });
  if (steps.all_able()) PMPI_Alltoall(received.data(), 1, MPI_INT, most.data(), 1, MPI_INT, comm);
  steps.run([&] { sent = late.sent(most); });
  sent = steps.exchange(sent);
  steps.run([&] { answers = late.answer(*sent); });
  answers = steps.exchange(answers);
  steps.run([&] { late.hear(*answers); });
  std::optional<Notes<report::Arrived>> arrived;
  std::optional<Notes<report::Latest>> latest;
  steps.run([&] { arrived = late.arrived(); });
  arrived = steps.exchange(arrived);
  steps.run([&] { latest = report::LateRanks::latest(*arrived); });
  latest = steps.exchange(latest);
  steps.run([&] { late.hear(*latest); });
  steps.run([&] {
    for (const report::Late& each : late.found()) report.add_late(each);
    times.arrows = late.arrows();
  });
  return times;
}

}  // namespace heddle::mpi
