// mpi/reporting.cpp: from the counters of each rank to one file.
#include "mpi/reporting.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "mpi/host.hpp"
#include "mpi/say.hpp"
#include "mpi/start.hpp"

namespace heddle::mpi {
namespace {

/// Of Heddle's own: the program may have receives open on MPI_COMM_WORLD.
MPI_Comm own = MPI_COMM_NULL;

/// The texts of all ranks, at rank 0; elsewhere nothing.
std::vector<std::string> gathered(const std::string& mine, int me, int ranks) {
  const auto length = static_cast<int>(std::min<std::size_t>(mine.size(), std::numeric_limits<int>::max() / 2));
  std::vector<int> lengths(me == 0 ? static_cast<std::size_t>(ranks) : 0);
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, own);
  std::vector<std::string> texts;
  if (me != 0) {
    PMPI_Send(mine.data(), length, MPI_BYTE, 0, 0, own);
    return texts;
  }
  // One after the other: together they could be more than a count can say.
  texts.push_back(mine);
  for (int rank = 1; rank < ranks; ++rank) {
    std::string text(static_cast<std::size_t>(lengths[static_cast<std::size_t>(rank)]), ' ');
    PMPI_Recv(text.data(), static_cast<int>(text.size()), MPI_BYTE, rank, 0, own, MPI_STATUS_IGNORE);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

void start_reporting() noexcept try {
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &own) != MPI_SUCCESS) return;
  report_of_process.store(std::make_unique<report::Report>().release(), std::memory_order_release);
} catch (const std::bad_alloc&) {
  say("no memory for the report; there will be none.");
}

void finish_reporting() noexcept try {
  // Freed by nobody: a thread may still be in a call, and the process is about to end.
  const report::Report* report = report_of_process.exchange(nullptr);
  if (!report) return;
  int me = 0;
  int ranks = 1;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &ranks) != MPI_SUCCESS) return;
  const std::vector<std::string> texts = gathered(report->to_json(), me, ranks);
  PMPI_Comm_free(&own);
  if (me != 0) return;
  const std::string& path = settings_of_process().report;
  if (const std::string wrong = report::write(path, report::merge(texts)); !wrong.empty())
    say((wrong + "; the report is lost. HEDDLE_REPORT names another place.").c_str());
} catch (const std::exception& error) {
  say_once_verbose("there is no report", error.what());
}

}  // namespace heddle::mpi
