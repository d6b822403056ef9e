// mpi/collectives/host_packs.hpp: whether the host is to get the program's own types where a collective is left to it by trial,
// or packed bytes. Includes types/.
//
//   if (timed.is_librarys() && all_packed_by_host(send, ranks) && all_packed_by_host(receive, ranks)) return {};
#pragma once

#include "mpi/process/traits.hpp"
#include "mpi/types/arguments.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

/// Whether the host packs `count` elements of a datatype as well as Heddle does, while it sends.
inline bool host_packs_as_well(MPI_Datatype type, Count count) noexcept {
  Entry* const entry = table.find(type);
  return !entry || (entry->ready(type) && !entry->pays_to_pack(count));
}

// The same of all blocks of an argument, at which nobody may have looked before; no: there are none to look at.
inline bool all_packed_by_host(const Buffer& data, int blocks) noexcept {
  return traits().packs_while_it_sends && host_packs_as_well(data.type, data.count * blocks);
}
inline bool all_packed_by_host(const VArgument& data, int blocks) noexcept {
  if (!traits().packs_while_it_sends || !whole(data)) return false;
  for (int i = 0; i < blocks; ++i)
    if (!host_packs_as_well(data.type, data.counts[i])) return false;
  return true;
}
inline bool all_packed_by_host(const WArgument& data, int blocks) noexcept {
  if (!traits().packs_while_it_sends || !whole(data)) return false;
  for (int i = 0; i < blocks; ++i)
    if (data.counts[i] > 0 && !host_packs_as_well(data.types[i], data.counts[i])) return false;
  return true;
}

}  // namespace heddle::mpi
