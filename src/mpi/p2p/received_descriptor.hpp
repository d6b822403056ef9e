// mpi/p2p/received_descriptor.hpp: the end of a receive that may have brought the descriptor of a
// message of this node (docs/protocol.md). The descriptor then becomes the message
// (engine/node/arrival.hpp), and the status tells the message's size.
//
//   const Raised result = Raised::by_host(PMPI_Recv(data.address, ..., status));
//   return raise_new(complete_receive(result, data, Sender(comm), status), result, comm);
#pragma once

#include <optional>

#include "mpi/p2p/route.hpp"
#include "mpi/p2p/sender.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

/// True: the receive has failed by truncation. It has brought as much as there was room for.
inline bool truncated(int result) noexcept {
  int kind = MPI_SUCCESS;
  return PMPI_Error_class(result, &kind) == MPI_SUCCESS && kind == MPI_ERR_TRUNCATE;
}

/// True: the bytes begin like a descriptor.
inline bool begins_like_descriptor(const void* first) noexcept {
  const MpiNode* node = MpiNode::here();
  return (node && engine::is_descriptor(first, node->nonce())) || begins_like_network_descriptor(first);
}

/// The length of the message that has arrived. It is exact if it is as short as a descriptor. Every
/// receive asks this, so it makes no call of the host.
inline Bytes brief_length_of(const MPI_Status& status) noexcept {
#if defined(HEDDLE_FAMILY_MPICH)
  return static_cast<std::uint32_t>(status.count_lo);
#elif defined(HEDDLE_FAMILY_OPENMPI)
  return static_cast<Bytes>(status._ucount);
#else
  return bytes_of(status);
#endif
}

/// True: the message that has arrived is as long as a descriptor may be.
/// @param own  The communicator is Heddle's own. Only there a descriptor has 128 bytes.
inline bool long_as_descriptor(const MPI_Status& status, bool own) noexcept {
  const Bytes length = brief_length_of(status);
  return own ? engine::Lengths::possible(length) : engine::Lengths::noted(length);
}

// These are called when a receive is over, with `result` and a status (never MPI_STATUS_IGNORE). If
// it has brought a descriptor, they bring the message. They return the receive's result, and
// correct the status. If the host does not know of an error, the caller raises it: raise_new().

/// The receive went into the program's own buffer, of elements of `type`.
int complete_receive(int result, const Buffer& data, const Derived& type, const Sender& from, MPI_Status* status) noexcept;
/// Looks the type up by its handle, which the program still has.
int complete_by_handle(int result, const Buffer& data, const Sender& from, MPI_Status* status) noexcept;
inline int complete_receive(int result, const Buffer& data, const Sender& from, MPI_Status* status) noexcept {
  // Almost always it is plain data. Predefined types have no holes, so the first bytes of the
  // message are at the beginning of the buffer.
  if (!descriptors_come() || (result == MPI_SUCCESS &&
                              (data.count < descriptor_bytes / largest_element ||
                               (data.count < descriptor_bytes && data.count * predefined(data.type).size < descriptor_bytes) ||
                               (!begins_like_descriptor(data.address) && !long_as_descriptor(*status, from.own())))))
    return result;
  return complete_by_handle(result, data, from, status);
}

/// The first bytes that have arrived, in one piece.
struct Arrived {
  void* first;
  Bytes room;             ///< The room of the receive.
  bool programs = false;  ///< They lie in the program's memory. It, or another receive, may have overwritten them.
};
/// Brings the message into `data`. Nothing: no descriptor has arrived.
std::optional<int> complete_staged(const Arrived& arrived, const Buffer& data, const layout::Layout& layout, const Sender& from,
                                   MPI_Status* status) noexcept;
/// A receive has failed. If a descriptor was truncated, this brings its message as far as it fits,
/// or at least drains it (docs/protocol.md, rule 7). The first bytes that have arrived are at
/// `arrived`. True: the message is received, and the status is right.
bool complete_truncated(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
                        MPI_Status* status) noexcept;

}  // namespace heddle::mpi
