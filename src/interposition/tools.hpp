// interposition/tools.hpp: who else stands in for procedures of MPI in this process, and whether
// the program's calls come to them: profilers and the like.
//
//   program ── MPI_Send ──▶ first tool ──▶ ... ──▶ Heddle ──▶ MPI library
//
//   for (const Tool& tool : tools()) if (tool.called > 0) say(text(tool));  // "/opt/libtool.so (MPI_Finalize, MPI_Recv)"
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::interposition {

/// An object that exports procedures of the MPI library, and is neither that nor Heddle.
struct Tool {
  std::string object;                   ///< Its file; "the program".
  std::vector<std::string> procedures;  ///< MPI_X and PMPI_X that the MPI library has, too, in the order of names.
  std::size_t called = 0;               ///< How many of them the program is given by name, or another tool by dlsym.
  std::string behind;                   ///< None of them: who is given instead. The MPI library, or another tool.
};

/// In the order in which they were loaded: the first is nearest to the program.
std::vector<Tool> tools();

/// "FILE (MPI_A, MPI_B, MPI_C ... 101 procedures)".
std::string text(const Tool& tool);

}  // namespace heddle::interposition
