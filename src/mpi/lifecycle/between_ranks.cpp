// mpi/lifecycle/between_ranks.cpp: carries the notes of late_ranks.hpp, and compares clocks.
#include "mpi/lifecycle/between_ranks.hpp"

#include <exception>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "mpi/process/process.hpp"
#include "mpi/process/shared_copy.hpp"
#include "report/times.hpp"

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

/// The difference between rank 0's clock and this rank's, by the round trip that took least time.
double ahead_by_messages(MPI_Comm comm) noexcept {
  double least = std::numeric_limits<double>::infinity();
  double ahead = 0;
  for (int i = 0; i < pings; ++i) {
    double theirs = 0;
    const double begin = report::now();
    PMPI_Sendrecv(&theirs, 1, MPI_DOUBLE, 0, 0, &theirs, 1, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    const double end = report::now();
    if (end - begin >= least) continue;
    least = end - begin;
    ahead = theirs - (begin + end) / 2;
  }
  return ahead;
}

void answer_pings(MPI_Comm comm, int rank) noexcept {
  for (int i = 0; i < pings; ++i) {
    double time = 0;
    PMPI_Recv(&time, 1, MPI_DOUBLE, rank, 0, comm, MPI_STATUS_IGNORE);
    time = report::now();
    PMPI_Send(&time, 1, MPI_DOUBLE, rank, 0, comm);
  }
}

/// Rank 0's clock minus this rank's clock, ns. A node has one clock. With HEDDLE_NODES, each rank
/// asks for itself.
double ahead_of(MPI_Comm comm, int me, int ranks) noexcept {
  MPI_Comm node = MPI_COMM_NULL;
  if (PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node) != MPI_SUCCESS) return 0;
  int leader = me;  // lowest rank of the node
  PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
  const bool imitated = settings_of_process().nodes > 1;
  const int asks = me != 0 && (imitated || (leader == me && leader != 0)) ? 1 : 0;
  double ahead = 0;
  for (int rank = 1; rank < ranks; ++rank) {  // rank by rank: two at once would disturb each other
    int now = me == rank ? asks : 0;
    if (me != 0 && me != rank) continue;
    if (me == rank) PMPI_Send(&now, 1, MPI_INT, 0, 1, comm);
    if (me == 0) PMPI_Recv(&now, 1, MPI_INT, rank, 1, comm, MPI_STATUS_IGNORE);
    if (now != 0 && me == 0) answer_pings(comm, rank);
    if (now != 0 && me == rank) ahead = ahead_by_messages(comm);
  }
  if (!imitated) PMPI_Bcast(&ahead, 1, MPI_DOUBLE, 0, node);
  PMPI_Comm_free(&node);
  return ahead;
}

}  // namespace

BetweenRanks between_ranks(MPI_Comm comm, double started, const report::MessageLog* log, report::Report& report) noexcept {
  int me = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &me);
  PMPI_Comm_size(comm, &ranks);
  const double ahead = ahead_of(comm, me, ranks);
  double began = started + ahead;
  PMPI_Allreduce(MPI_IN_PLACE, &began, 1, MPI_DOUBLE, MPI_MIN, comm);
  BetweenRanks times{.began = began - ahead};
  int wanted = log ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &wanted, 1, MPI_INT, MPI_MIN, comm);
  if (wanted == 0) return times;
  report::LateRanks late(*log, me, ranks, ahead);
  Steps steps(comm, ranks);
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
