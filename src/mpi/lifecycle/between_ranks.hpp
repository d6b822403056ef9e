// mpi/lifecycle/between_ranks.hpp: compares the times of all ranks at the end of the program.
//
//   const BetweenRanks times = between_ranks(own, started_ns, trace, log, *report);       // all ranks
//   report::told(*report, trace, {.began = times.began, .arrows = times.arrows}, files, me);
#pragma once

#include <vector>

#include "mpi/process/host.hpp"
#include "report/late_ranks.hpp"
#include "report/report.hpp"

namespace heddle::mpi {

struct BetweenRanks {
  double began;  ///< Start of the first rank, on this rank's clock, ns.
  std::vector<report::Arrow> arrows{};
};

/// Adds the time that this rank waited for others to the report. If a rank has no memory for the
/// exchange, no report has such times. Collective.
/// @param log  If it is null on any rank, no rank gets such times.
/// @param started  ns of this rank's clock.
/// @param timeline  A timeline is wanted. It needs clocks even without a log.
BetweenRanks between_ranks(MPI_Comm comm, double started, bool timeline, const report::MessageLog* log,
                           report::Report& report) noexcept;

}  // namespace heddle::mpi
