// mpi/lifecycle/report.cpp: from the counters of each rank to one file.
#include "mpi/lifecycle/lifecycle.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "mpi/lifecycle/meanings.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "report/file_name.hpp"
#include "report/observed.hpp"
#include "report/reporting.hpp"
#include "report/run.hpp"
#include "select/profile_file.hpp"

namespace heddle::mpi {
namespace {

/// Of Heddle's own: the program may have receives open on MPI_COMM_WORLD.
MPI_Comm own = MPI_COMM_NULL;

double started_ns = 0;

report::Trace* trace = nullptr;  // null: none is wanted

constexpr int piece = 64 << 10;  // texts travel in pieces: together they could be more than a count can say

/// To rank 0: how long, and the pieces.
void send(const std::string& text) {
  const std::uint64_t length = text.size();
  PMPI_Send(&length, sizeof length, MPI_BYTE, 0, 0, own);
  for (std::size_t at = 0; at < text.size(); at += piece)
    PMPI_Send(text.data() + at, static_cast<int>(std::min<std::size_t>(piece, text.size() - at)), MPI_BYTE, 0, 0, own);
}

/// Whatever becomes of it here, all pieces are received: their sender waits.
std::string received(int rank) noexcept {
  static char buffer[piece];
  std::string text;
  bool room = true;
  std::uint64_t length = 0;
  PMPI_Recv(&length, sizeof length, MPI_BYTE, rank, 0, own, MPI_STATUS_IGNORE);
  for (std::uint64_t at = 0; at < length; at += piece) {
    const auto bytes = static_cast<int>(std::min<std::uint64_t>(piece, length - at));
    PMPI_Recv(buffer, bytes, MPI_BYTE, rank, 0, own, MPI_STATUS_IGNORE);
    try {
      if (room) text.append(buffer, static_cast<std::size_t>(bytes));
    } catch (const std::exception&) {
      room = false;
    }
  }
  return room ? text : std::string();
}

/// Empty: there is none.
std::vector<std::string> room_for(int ranks) noexcept try {
  return std::vector<std::string>(static_cast<std::size_t>(ranks));
} catch (const std::exception&) {
  return {};
}

/// Of this rank; empty: no memory for it.
std::string text_of(const report::Report& report) noexcept try {
  return report.to_json();
} catch (const std::exception& error) {
  say_once_verbose("the report lacks a rank", error.what());
  return {};
}

/// With %h, %p, %j and %r replaced.
std::string path_of(const std::string& pattern, int me) {
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  return report::file_name(pattern, {host, getpid(), report::job_of(environ), me});
}

void tell_of_trace(const std::string& wrong) {
  if (!wrong.empty()) say((wrong + "; the trace is lost. HEDDLE_TRACE names another place.").c_str());
}

/// False: no memory.
bool begin(report::Report& report) noexcept try {
  int me = 0;
  int ranks = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &me);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  report.of_rank(me, ranks);
  return true;
} catch (const std::exception&) {
  return false;
}

/// False: no memory.
bool begin_trace() noexcept try {
  if (!settings_of_process().trace.empty()) trace = new report::Trace(report::Trace::usual);  // freed by nobody, as the report
  return true;
} catch (const std::exception&) {
  return false;
}

/// Of this rank; empty: no memory for it, there is none, or it has a file of its own.
std::string timeline(int me) noexcept try {
  if (!trace) return {};
  const std::string& pattern = settings_of_process().trace;
  std::string events = trace->to_json(me, started_ns);
  if (pattern.find("%r") == std::string::npos) return events;
  report::TraceFile file(path_of(pattern, me));
  file.add(events);
  tell_of_trace(file.end());
  return {};
} catch (const std::exception& error) {
  say_once_verbose("the trace lacks a rank", error.what());
  return {};
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
  const bool traced = begin_trace();
  std::unique_ptr<report::Observed> observed(report ? new (std::nothrow) report::Observed(*report, trace, meanings())
                                                    : nullptr);
  int able = traced && observed && begin(*report) && PMPI_Comm_dup(MPI_COMM_WORLD, &own) == MPI_SUCCESS ? 1 : 0;
  if (own == MPI_COMM_NULL) PMPI_Comm_dup(MPI_COMM_WORLD, &own);  // with the others
  // All or none: at the end they merge their reports.
  PMPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  started_ns = report::now();
  if (able) {
    report::observer.store(observed.release(), std::memory_order_release);
    report::of_process.store(report.release(), std::memory_order_release);
    report::handles_remembered.store(true);
  } else if (own != MPI_COMM_NULL) {
    PMPI_Comm_free(&own);
  }
  if (!able) say("no memory for the report; there will be none.");
}

void finish_reporting() noexcept try {
  // Freed by nobody: a thread may still be in a call, and the process is about to end.
  report::Report* const report = report::of_process.exchange(nullptr);
  if (!report) return;
  report::observer.store(nullptr, std::memory_order_release);
  report->end(report::now() - started_ns, running());
  int me = 0;
  int ranks = 1;
  if (PMPI_Comm_rank(own, &me) != MPI_SUCCESS || PMPI_Comm_size(own, &ranks) != MPI_SUCCESS) return;
  if (me != 0) {
    send(text_of(*report));
    send(timeline(me));
    PMPI_Comm_free(&own);
    return;
  }
  std::string mine = text_of(*report);
  const std::string traced = timeline(0);
  std::optional<report::TraceFile> file;
  if (!traced.empty()) file.emplace(path_of(settings_of_process().trace, me)).add(traced);
  std::vector<std::string> texts = room_for(ranks);
  if (!texts.empty()) texts[0].swap(mine);
  for (int rank = 1; rank < ranks; ++rank) {
    std::string text = received(rank);
    if (!texts.empty()) texts[static_cast<std::size_t>(rank)].swap(text);
    const std::string events = received(rank);
    if (file) file->add(events);
  }
  PMPI_Comm_free(&own);
  if (file) tell_of_trace(file->end());
  const std::string path = path_of(settings_of_process().report, me);
  if (path.empty()) return;
  if (const std::string wrong = report::write(path, report::merge(texts, about_run())); !wrong.empty())
    say((wrong + "; the report is lost. HEDDLE_REPORT names another place.").c_str());
} catch (const std::exception& error) {
  say_once_verbose("there is no report", error.what());
}

}  // namespace heddle::mpi
