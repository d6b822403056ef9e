// mpi/lifecycle/report.cpp: from the counters of each rank to one file.
#include "mpi/lifecycle/lifecycle.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "interposition/procedures.hpp"
#include "mpi/lifecycle/between_ranks.hpp"
#include "mpi/lifecycle/meanings.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/shared_copy.hpp"
#include "report/at_end.hpp"
#include "report/calling_place.hpp"
#include "report/observed.hpp"
#include "report/reporting.hpp"
#include "report/run.hpp"
#include "report/text_pieces.hpp"
#include "select/profile_file.hpp"

namespace heddle::mpi {
namespace {

/// A communicator of Heddle's own: the program may have receives open on MPI_COMM_WORLD.
MPI_Comm own = MPI_COMM_NULL;

double started_ns = 0;
double started_cpu_ns = 0;

report::Trace* trace = nullptr;          // null: none is wanted
report::MessageLog* messages = nullptr;  // null: none is wanted

/// The program's call of MPI_Finalize. The wrapper of other procedures (report/timed.hpp) ends when
/// the call returns, but the report is written within this call.
struct LastCall {
  report::Called called;
  report::Observer::Mark mark;
};
LastCall last_call;

/// Sends `text` to rank 0.
void send(const std::string& text) {
  report::send_in_pieces(text, [](const void* bytes, int count) {
    const SharedCopy copy(count);  // the system may not let rank 0 read this process's memory
    PMPI_Send(bytes, count, MPI_BYTE, 0, 0, own);
  });
}

std::string received(int rank) noexcept {
  return report::received_in_pieces(
      [rank](void* bytes, int count) { PMPI_Recv(bytes, count, MPI_BYTE, rank, 0, own, MPI_STATUS_IGNORE); });
}

/// Begins the report, and the timeline if one is wanted. False: no memory.
bool begin(report::Report& report) noexcept try {
  int me = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  report.of_rank(me, ranks);
  const settings::Settings& set = settings_of_process();
  if (set.log != settings::Log::off)  // never freed, like the report
    report.log_to(new report::Log(set.log == settings::Log::debug ? report::Log::Level::debug : report::Log::Level::info, me));
  if (!set.trace.empty()) trace = new report::Trace(report::Trace::usual);  // never freed, like the report
  // In larger jobs, the exchange of notes at the end would take too long.
  if (report.counts_peers() && ranks > 1 && !(set.report.empty() && set.trace.empty()))
    messages = new report::MessageLog(meanings(), report::MessageLog::usual);
  return true;
} catch (const std::exception&) {
  return false;
}

std::string about_run() {
  const select::Machine machine = select::this_machine();
  return report::about_run({.mpi = host_name(),
                            .family = traits().host == Host::openmpi ? "openmpi" : "mpich",
                            .processor = machine.processor,
                            .cores = machine.cores});
}

}  // namespace

void start_reporting() noexcept {
  std::unique_ptr<report::Report> report(new (std::nothrow) report::Report);
  std::unique_ptr<report::Observed> observed;
  if (report && begin(*report))
    observed.reset(new (std::nothrow) report::Observed(*report, {.trace = trace, .messages = messages}, meanings()));
  int able = observed && PMPI_Comm_dup(MPI_COMM_WORLD, &own) == MPI_SUCCESS ? 1 : 0;
  if (own == MPI_COMM_NULL) PMPI_Comm_dup(MPI_COMM_WORLD, &own);  // collective: the other ranks do so
  // All or none: at the end they merge their reports.
  PMPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  started_ns = report::now();
  started_cpu_ns = report::cpu_now();
  if (able) {
    report::observer.store(observed.release(), std::memory_order_release);
    report::of_process.store(report.release(), std::memory_order_release);
    report::handles_remembered.store(true);
  } else if (own != MPI_COMM_NULL) {
    PMPI_Comm_free(&own);
  }
  if (!able) say("no memory for the report; there will be none.");
}

void report_end(const void* from) noexcept {
  report::Observer* const observer = report::observer.load(std::memory_order_acquire);
  if (!observer) return;
  const auto ours = interposition::procedures();
  const auto at = std::ranges::find_if(ours, [](const auto& each) { return std::strcmp(each.name, "MPI_Finalize") == 0; });
  if (at == ours.end()) return;
  last_call.called = {.procedure = static_cast<int>(at - ours.begin()), .from = report::calling_place(from)};
  last_call.mark = observer->begins(last_call.called);
}

void finish_reporting(bool together, bool met) noexcept try {
  if (!report::of_process.load()) return;
  // The waits of ranks that are here early belong to MPI_Finalize, not to the work of these ranks.
  if (together && !met) Watch::meet(own);
  report::Observer* const observer = report::observer.exchange(nullptr, std::memory_order_acq_rel);
  if (observer && last_call.mark.met) observer->ends(last_call.called, last_call.mark, true);
  // Never freed: a thread may still be in a call, and the process is about to end.
  report::Report* const report = report::of_process.exchange(nullptr);
  report->end(report::now() - started_ns, report::cpu_now() - started_cpu_ns, running());
  int me = 0;
  int ranks = 1;
  if (PMPI_Comm_rank(own, &me) != MPI_SUCCESS || PMPI_Comm_size(own, &ranks) != MPI_SUCCESS) return;
  const settings::Settings& set = settings_of_process();
  const report::Files files{.report = set.report, .trace = set.trace};
  BetweenRanks times{.began = started_ns};
  if (together) times = between_ranks(own, started_ns, trace != nullptr, messages, *report);
  if (messages) report->add_unlogged(messages->missing());
  report::Told mine = report::told(*report, {.trace = trace, .began = times.began, .arrows = times.arrows}, files, me);
  if (!together) {
    if (me != 0) return;
    if (ranks > 1) say("the report has rank 0 alone: MPI_Finalize of this job does not wait for the other ranks.");
    ranks = 1;
  }
  if (me != 0) {
    send(mine.report);
    send(mine.events);
    PMPI_Comm_free(&own);
    return;
  }
  report::Merging all(files, ranks);
  all.add(0, std::move(mine));
  for (int rank = 1; rank < ranks; ++rank) all.add(rank, {.report = received(rank), .events = received(rank)});
  if (together) PMPI_Comm_free(&own);
  all.write(about_run);
} catch (const std::exception& error) {
  say_once_verbose("there is no report", error.what());
}

}  // namespace heddle::mpi
