// interposition/tools.hpp: finds other tools that replace procedures of MPI in this process, such
// as profilers, and tells if they get the program's calls.
//
//   program ── MPI_Send ──▶ first tool ──▶ ... ──▶ Heddle ──▶ MPI library
//
//   for (const Tool& tool : tools()) if (tool.called > 0) say(text(tool));  // "/opt/libtool.so (MPI_Finalize, MPI_Recv)"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::interposition {

/// An object that exports procedures of the MPI library, except the library itself and Heddle.
struct Tool {
  std::string object;                   ///< Its file, or "the program".
  std::vector<std::string> procedures;  ///< Names MPI_X and PMPI_X that the MPI library has, too; sorted.
  std::size_t called = 0;               ///< Number of these that the program gets by name, or another tool by dlsym.
  std::string behind;                   ///< If `called` is 0, the object that gets the calls: the MPI library, or another tool.
};

/// The tools in the order in which they were loaded. The first is nearest to the program.
std::vector<Tool> tools();

/// "FILE (MPI_A, MPI_B, MPI_C ... 101 procedures)".
std::string text(const Tool& tool);

}  // namespace heddle::interposition
