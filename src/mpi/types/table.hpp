// mpi/types/table.hpp: which handles are datatypes of the program. Includes process/host.hpp, threads/table.hpp.
#pragma once

#include "mpi/process/host.hpp"
#include "threads/table.hpp"

namespace heddle::mpi {

class Entry;

using Table = threads::HandleTable<MPI_Datatype, Entry>;

/// The table of the process.
extern constinit Table table;

}  // namespace heddle::mpi
