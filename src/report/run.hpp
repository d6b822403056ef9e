// report/run.hpp: what a run was.
#pragma once

#include <string>

namespace heddle::report {

/// The name of the node.
std::string this_host();

/// What it ran on: by that a profile of heddle tune is known to be one of the same kind of machine.
struct Ran {
  std::string mpi;       ///< The MPI library.
  std::string family{};  ///< Of its ABI: "mpich", "openmpi".
  std::string processor{};
  int cores = 0;  ///< Of the node; 0: not known.
};

/// An object in JSON: the command of this process, what it ran on, host, when it ended (UTC), Heddle's version, and the
/// HEDDLE_ variables that are set.
std::string about_run(const Ran& ran);

}  // namespace heddle::report
