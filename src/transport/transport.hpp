// transport/: how bytes get from one process of a node to another. No MPI in this room: the one
// collective that it needs is handed in. Used by engine/ and mpi/.
//
//   Node node(me, size, gather, options);      node.hpp           the processes of a node join, once: node memory, pids
//   file.make(size, options); file.offer()     common_file.hpp    the one file that they have it in
//   node.assembly()->gather(...)               assembly.hpp       what they find out together, by that memory
//   node.memory(peer)                                             "ring": segments and cells, ordinary loads and stores
//   cma::read(node.pid(peer), to, from)        cma.hpp            "cma": another process's memory as it lies, if can_read(peer)
//   SharedMemory mine(node)                    shared_memory.hpp  "mapped": memory for the program, behind MPI_Alloc_mem,
//   PeerMemory theirs(node)                    peer_memory.hpp    and that of the peers
//   table()                                    table.hpp          what each way can do and costs, in words
//
// What the system refuses is never an exception: the pair goes without, both ends know it, and Node::why() says it. Nothing
// here has a name in a file system, so that nothing is left behind by a process that is killed.
#pragma once

#include "transport/cma.hpp"            // IWYU pragma: export
#include "transport/node.hpp"           // IWYU pragma: export
#include "transport/peer_memory.hpp"    // IWYU pragma: export
#include "transport/shared_memory.hpp"  // IWYU pragma: export
#include "transport/table.hpp"          // IWYU pragma: export
