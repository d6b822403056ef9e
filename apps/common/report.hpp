// common/report.hpp: functions that the programs of apps/ share: the version of MPI, times as JSON,
// and errors that all ranks learn of.
//
//   agree(mistake, comm);                       // rank 0 has found no file: all ranks throw
//   json["mpi"] = mpi_version();
//   json["seconds"] = summary(seconds);         // {"all": [...], "median": ..., "min": ..., "max": ...}
#pragma once

#include <mpi.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace apps {

using Json = nlohmann::ordered_json;

/// "MPICH 5.0.2", "Open MPI 5.0.11".
std::string mpi_version();

Json summary(std::vector<double> values);

/// Throws rank 0's mistake, if there is one, on every rank.
void agree(const std::string& mistake, MPI_Comm comm);

/// Runs `body`. If it throws on all ranks, rank 0 prints the error with the program's name. Out of
/// memory, which may happen on one rank only, ends the job. @return the exit code
int told(const char* name, MPI_Comm comm, const std::function<void()>& body);

}  // namespace apps
