// bench/common/host.hpp: names the MPI library and the library that answers MPI_ calls, and chooses
// cores.
#pragma once

#include <string>
#include <vector>

namespace heddle::bench {

/// "MPICH 5.0.2", "Open MPI 5.0.11", ... from MPI_Get_library_version.
std::string library_name();

/// The library that answers MPI_Pack here: "heddle", "null" (the forwarding interposer) or "host"
/// (nothing is preloaded).
std::string interposer();

/// Pins this thread to `core`, or to the last allowed core if `core` is negative. Returns the core,
/// or -1 if the system refuses.
int pin(int core);

/// The cores that this process may use.
std::vector<int> cores();

}  // namespace heddle::bench
