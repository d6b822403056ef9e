// mpi/types/table.hpp: which handles are datatypes of the program. Includes handles/.
#pragma once

#include "mpi/handles/table.hpp"

namespace heddle::mpi {

class Entry;

using Table = HandleTable<MPI_Datatype, Entry>;

/// The table of the process.
extern constinit Table table;

}  // namespace heddle::mpi
