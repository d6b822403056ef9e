// mpi/p2p/message_checks.cpp: each argument, by the rules of the host.
#include "mpi/p2p/message_checks.hpp"

#include <atomic>

#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/communicators/host_group.hpp"
#include "mpi/types/entry.hpp"

namespace heddle::mpi {
namespace {

/// MPI_TAG_UB of all communicators; -1: nobody has asked.
constinit std::atomic<int> known_highest_tag{-1};

int ask_highest_tag(MPI_Comm comm) noexcept {
  int* value = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &found) != MPI_SUCCESS || !found) return 32767;
  known_highest_tag.store(*value, std::memory_order_relaxed);
  return *value;
}

/// The size of the group whose ranks messages name. -1: the host does not say.
int ranks_of(MPI_Comm comm) {
  const communicators::Members* const members = communicators::members(comm);
  if (members && !members->beyond && !members->group.empty()) return static_cast<int>(members->group.size());
  const communicators::Peers peers(comm);
  return peers.known ? peers.ranks : -1;
}

/// True: the type is committed, and its elements may be at that address.
bool takes_elements(const Buffer& data) {
  if (data.count < 0) return false;
  if (Entry* const found = table.find(data.type)) {
    if (data.address || data.count == 0) return true;
    // Only types of absolute addresses may have elements at address 0. A type that Heddle cannot
    // decode may be one of these.
    const Entry* const entry = found->ready(data.type);
    return !entry || entry->first_byte() != 0 || entry->size() == 0;
  }
  if (data.type == MPI_DATATYPE_NULL || (!data.address && data.count > 0)) return false;
  return predefined(data.type).size > 0 && seen_predefined(data.type);  // a type that is not committed has a size, too
}

}  // namespace

bool is_tag(int tag, MPI_Comm comm) noexcept {
  if (tag < 0) return false;
  const int highest = known_highest_tag.load(std::memory_order_relaxed);
  return tag <= (highest >= 0 ? highest : ask_highest_tag(comm));
}

bool takes(const Buffer& data, Direction direction, const Envelope& peer) {
  const bool receives = direction == Direction::in;
  if (peer.comm == MPI_COMM_NULL || data.address == MPI_IN_PLACE || !takes_elements(data)) return false;
  if (!is_tag(peer.tag, peer.comm) && !(receives && peer.tag == MPI_ANY_TAG)) return false;
  if (peer.rank == MPI_PROC_NULL || (receives && peer.rank == MPI_ANY_SOURCE)) return true;
  return peer.rank >= 0 && peer.rank < ranks_of(peer.comm);
}

}  // namespace heddle::mpi
