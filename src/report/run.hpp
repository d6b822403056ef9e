// report/run.hpp: describes this run for a report, and names its host.
#pragma once

#include <string>

namespace heddle::report {

/// The name of the node.
std::string this_host();

/// The machine and the library of a run. `heddle tune` compares them with a profile's.
struct Ran {
  std::string mpi;       ///< The MPI library.
  std::string family{};  ///< The family of its ABI: "mpich", "openmpi".
  std::string processor{};
  int cores = 0;  ///< Cores of the node; 0: unknown.
};

/// An object in JSON: the command of this process, machine and library, host, end (UTC), Heddle's
/// version, and the HEDDLE_ variables that are set.
std::string about_run(const Ran& ran);

}  // namespace heddle::report
