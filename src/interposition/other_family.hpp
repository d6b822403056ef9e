// interposition/other_family.hpp: finds an MPI library of another family in this process. Programs
// that a script starts can be linked with another MPI than `heddle run --mpi` names. Their handles
// belong to their own library, so their first calls crash in the preloaded library.
//
//   if (const std::string path = other_family("ompi_mpi_comm_world"); !path.empty()) say(path);
#pragma once

#include <string>

namespace heddle::interposition {

/// The file of the first loaded library that exports `symbol`; empty: there is none. Programs do
/// not count, because the linker gives them copies of a library's variables.
/// @param symbol  A name that all libraries of the other family export, and no other library does.
std::string other_family(const char* symbol);

}  // namespace heddle::interposition
