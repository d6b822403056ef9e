// transport/: moves bytes from one process of a node to another. No MPI in this room: callers hand
// in the one collective that it needs.
//
//   Node node(me, size, gather, options);      join_node.hpp           the processes of a node join, once: node memory, pids
//   file.make(size, options); file.offer()     common_file.hpp    the one file of their node memory
//   node.assembly()->gather(...)               assembly.hpp       collectives in that memory
//   node.memory(peer)                                             "ring": segments and cells, ordinary loads and stores
//   cma::read(node.pid(peer), to, from)        cma.hpp            "cma": another process's memory as it lies, if can_read(peer)
//   SharedMemory mine(node)                    shared_memory.hpp  "mapped": memory for the program, behind MPI_Alloc_mem,
//   PeerMemory theirs(node)                    peer_memory.hpp    and the peers' memory of that kind
//   table()                                    transport_table.hpp          what each way can do and costs, in words
//
// A system call that is refused is never an exception. The pair does without, both ends know it,
// and Node::why() gives the reason. Nothing here has a name in a file system, so a killed process
// leaves nothing behind.
#pragma once

#include "transport/cma.hpp"              // IWYU pragma: export
#include "transport/join_node.hpp"        // IWYU pragma: export
#include "transport/peer_memory.hpp"      // IWYU pragma: export
#include "transport/shared_memory.hpp"    // IWYU pragma: export
#include "transport/transport_table.hpp"  // IWYU pragma: export
