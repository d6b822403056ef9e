// Sees what reaches the host. The test programs define the PMPI_ procedures behind Heddle's accelerated calls themselves:
// Heddle calls them instead of the host's, they count the datatypes they are given and go on to the host. So a test can tell
// whether Heddle did its work, and never compares the host with itself unnoticed. Tests reach the host's own through host::.
//
//   const auto before = pmpi_spy::derived("Pack");
//   MPI_Pack(...);
//   EXPECT_EQ(pmpi_spy::derived("Pack"), before);      // the host has not seen the derived datatype: Heddle packed it
//
// TEST_NODES=n deals the ranks out to n nodes, round and round, as far as Heddle sees (nodes.hpp).
#pragma once

#include <string>
#include <string_view>

#include "support/host.hpp"

namespace heddle::test {

namespace pmpi_spy {
/// Calls of PMPI_<name> that were given a derived datatype, by Heddle or by the test itself.
long derived(std::string_view name);
/// The same, of all procedures.
long derived();
/// All calls of PMPI_<name>.
long calls(std::string_view name);
}  // namespace pmpi_spy

/// The file that MPI_Send comes from.
std::string face_file();

/// What this run is to show, from TEST_HEDDLE: "on" (Heddle accelerates), "off" (loaded, HEDDLE=off), "none" (not loaded).
enum class Expected { none, off, on };
Expected expected();
/// Whether the host gets the program's datatypes as they are, in collectives at least: Heddle is not there, off, or told so.
bool types_reach_host();

/// Whether expectation and truth agree, by what MPI_Send is and by packing a vector. Says on stderr if not.
bool expectation_holds();

}  // namespace heddle::test
