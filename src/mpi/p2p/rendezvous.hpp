// mpi/p2p/rendezvous.hpp: a receive is over, and may have brought the descriptor of a message (docs/protocol.md) of this node:
// then the descriptor becomes the message (engine/arrival.hpp), and the status tells its size. Includes route.hpp, types/.
//
//   const Raised result = Raised::by_host(PMPI_Recv(data.address, ..., status));
//   return raise_new(complete_receive(result, data, Sender(comm), status), result, comm);
#pragma once

#include <optional>

#include "mpi/p2p/route.hpp"
#include "mpi/p2p/sender.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

/// Whether a receive has failed by that: it has brought as much as there was room for.
inline bool truncated(int result) noexcept {
  int kind = MPI_SUCCESS;
  return PMPI_Error_class(result, &kind) == MPI_SUCCESS && kind == MPI_ERR_TRUNCATE;
}

/// Whether what begins there begins like a descriptor.
inline bool begins_like_descriptor(const void* first) noexcept {
  const Node* node = Node::here();
  return (node && engine::is_descriptor(first, node->nonce())) || begins_like_network_descriptor(first);
}

/// True: the message that has arrived is as long as a descriptor may be. Every receive asks that, so it calls no host.
inline bool long_as_descriptor(const MPI_Status& status) noexcept {
#if defined(HEDDLE_FAMILY_MPICH)
  return engine::Lengths::possible(static_cast<std::uint32_t>(status.count_lo));
#elif defined(HEDDLE_FAMILY_OPENMPI)
  return engine::Lengths::possible(static_cast<Bytes>(status._ucount));
#else
  return engine::Lengths::possible(bytes_of(status));
#endif
}

// A receive is over, with `result` and a status (never MPI_STATUS_IGNORE). If it brought a descriptor: brings the message.
// Return the receive's result, and correct the status. An error that the host does not know of is the caller's to raise:
// raise_new().

/// Into the program's own buffer, of elements of `type`.
int complete_receive(int result, const Buffer& data, const Derived& type, const Sender& from, MPI_Status* status) noexcept;
/// The same by the handle, which the program has still.
int complete_by_handle(int result, const Buffer& data, const Sender& from, MPI_Status* status) noexcept;
inline int complete_receive(int result, const Buffer& data, const Sender& from, MPI_Status* status) noexcept {
  // Almost always it is what it seems: predefined types have no holes, so their first bytes are where the buffer begins.
  if (!descriptors_come() || (result == MPI_SUCCESS &&
                              (data.count < descriptor_bytes / largest_element ||
                               (data.count < descriptor_bytes && data.count * predefined(data.type).size < descriptor_bytes) ||
                               (!begins_like_descriptor(data.address) && !long_as_descriptor(*status)))))
    return result;
  return complete_by_handle(result, data, from, status);
}

/// The first bytes of what has arrived, in one piece.
struct Arrived {
  void* first;
  Bytes room;             ///< Of the receive.
  bool programs = false;  ///< They lie in memory of the program's: it, or another receive, may have written over them.
};
/// Brings the message into `data`. Nothing: no descriptor has arrived.
std::optional<int> complete_staged(const Arrived& arrived, const Buffer& data, const layout::Layout& layout, const Sender& from,
                                   MPI_Status* status) noexcept;
/// A receive has failed; if by truncation, of a descriptor: the message is received as far as it fits, or at least drained
/// (docs/protocol.md, rule 7). These are the first bytes that have arrived. True: the message is received, and the status is
/// right.
bool complete_truncated(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
                        MPI_Status* status) noexcept;

}  // namespace heddle::mpi
