// Counts the calls that reach the host. The test programs define the PMPI_ procedures behind
// Heddle's accelerated calls. Heddle calls them instead of the host's. They count the datatypes in
// their arguments, and then call the host. So a test can tell whether Heddle did its work, and
// never compares the host with itself unnoticed. Tests reach the host's own procedures through
// host::.
//
//   const auto before = pmpi_spy::derived("Pack");
//   MPI_Pack(...);
//   EXPECT_EQ(pmpi_spy::derived("Pack"), before);      // the host has not seen the derived datatype: Heddle packed it
//
// TEST_NODES=n deals the ranks to n nodes in turn, as far as Heddle sees (nodes.hpp).
#pragma once

#include <string>
#include <string_view>

#include "support/host.hpp"

namespace heddle::test {

namespace pmpi_spy {
/// Calls of PMPI_<name> with a derived datatype, by Heddle or by the test itself.
long derived(std::string_view name);
/// Such calls of all procedures.
long derived();
/// All calls of PMPI_<name>.
long calls(std::string_view name);
}  // namespace pmpi_spy

/// The file that MPI_Send comes from.
std::string face_file();

/// The mode of this run, from TEST_HEDDLE. on: Heddle accelerates. off: loaded with HEDDLE=off.
/// none: not loaded.
enum class Expected { none, off, on };
Expected expected();
/// True if the host gets the program's datatypes as they are, at least in collectives: Heddle is
/// absent, off, or set so.
bool types_reach_host();

/// True if this run is in that mode, by the file of MPI_Send and by packing a vector. Otherwise
/// complains on stderr.
bool expectation_holds();

}  // namespace heddle::test
