// report/run.hpp: what a run was. Includes nothing of Heddle.
#pragma once

#include <string>

namespace heddle::report {

/// An object in JSON: the command of this process, the MPI library, host, when it ended (UTC), Heddle's version, and the
/// HEDDLE_ variables that are set.
std::string about_run(const std::string& mpi);

}  // namespace heddle::report
