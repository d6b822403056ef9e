// mpi/rendezvous/sends.hpp: what MPI_Send and MPI_Isend ask first, with one look at each table. Includes rendezvous.hpp.
#pragma once

#include "mpi/rendezvous/rendezvous.hpp"

namespace heddle::mpi {

/// will_send(), and whether the message travels_packed() or may_be_announced().
inline bool sends(Count count, MPI_Datatype type, int tag) {
  Node* node = Node::here();
  if (Entry* entry = table.find(type)) {
    if (node) will_send(count, type, tag);
    return entry->ready(type) && (entry->pays_to_pack(count) || may_be_announced(*entry, count));
  }
  if (!node) return false;
  if (count >= engine::Lengths::shortest / largest_element && count <= engine::Lengths::longest)
    node->outbox().sends_plainly(count * predefined(type).size, tag);
  return piece_may_be_announced(*node, type, count);
}

}  // namespace heddle::mpi
