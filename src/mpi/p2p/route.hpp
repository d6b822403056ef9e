// mpi/p2p/route.hpp: the protocol of a message, decided once in a call, by one look at its
// datatype.
//
//   const Route route = route_of_send({buffer, count, type}, tag, Mode::standard);
//   if (route.protocol == Protocol::passthrough) return PMPI_Send(buffer, count, type, dest, tag, comm);
//
//                  a send                                       a receive
//   passthrough    is the host's, as the program made it        the same: Heddle does not look at the message
//   packed         goes through a staging buffer                the same; a descriptor in it becomes its message
//   rendezvous     is a descriptor for a rank of this node,     goes straight into the program's buffer; a
//                  or of another, if the fabric takes it;       descriptor in it becomes its message
//                  else as if there were no rendezvous
#pragma once

#include "engine/network/fabric_send.hpp"
#include "engine/node/rendezvous.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/p2p/host_probe.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

/// The mode of a send (MPI-5.0 §3.4).
enum class Mode { standard, buffered, synchronous, ready };

enum class Protocol : std::uint8_t { passthrough, packed, rendezvous };

struct Route {
  Protocol protocol = Protocol::passthrough;
  Entry* type = nullptr;  ///< Null: a predefined type, or a type that Heddle has not seen committed.
};

/// The shortest receive that could hold a descriptor. Bytes.
constexpr Bytes descriptor_bytes = sizeof(engine::Descriptor);

/// True: a receive may bring a descriptor.
inline bool descriptors_come() noexcept { return MpiNode::here() || Network::here(); }

/// True: a receive of the program may bring a descriptor. False where a rank leaves messages to the
/// MPI library (HEDDLE_MESSAGES=native).
inline bool messages_come() noexcept {
  const MpiNode* node = MpiNode::here();
  return (node && node->carries_messages()) || Network::here();
}

using engine::may_cross;
using engine::may_meet;

// Quick checks for predefined types, in a few ns:

inline bool may_cross(const Network& network, Count count) noexcept {
  return network.moves_pieces() && count >= network.threshold() / largest_element;
}

inline bool may_meet(const MpiNode& node, MPI_Datatype type, Count count) noexcept {
  if (node.scatter_hints().any()) return count >= node.threshold() / largest_element;
  return count >= MpiNode::least_piece / largest_element && count <= MpiNode::most_piece &&
         node.moves_pieces(count * predefined(type).size);
}

/// MPICH refuses elements at address 0, if they are not of a type with absolute addresses.
inline bool refused_at_zero(const Buffer& data) noexcept {
  if (data.address || data.count <= 0 || !traits().looks_at_addresses) [[likely]]
    return false;
  Entry* const found = table.find(data.type);
  Entry* const type = found ? found->ready(data.type) : nullptr;
  return !found || (type && type->first_byte() == 0 && type->size() > 0);
}

/// The route of a send on a communicator of Heddle's own, which the program never probes. So its
/// length is not noted.
inline Route route_of_send(const Buffer& data, Mode mode = Mode::standard) noexcept {
  const MpiNode* node = mode == Mode::buffered ? nullptr : MpiNode::here();
  Entry* type = table.find(data.type);
  const Network* network = mode == Mode::buffered ? nullptr : Network::here();
  if (!type) {
    const bool meets = (node && may_meet(*node, data.type, data.count)) || (network && may_cross(*network, data.count));
    return {meets ? Protocol::rendezvous : Protocol::passthrough};
  }
  Entry* const fresh = type;
  type = fresh->ready_for_message(data.type);
  if (!type) return {Protocol::passthrough, fresh};
  if (node && may_meet(*node, *type, data.count)) return {Protocol::rendezvous, type};
  if (network && may_cross(*network, *type, data.count)) return {Protocol::rendezvous, type};
  return {type->pays_to_pack(data.count) ? Protocol::packed : Protocol::passthrough, type};
}

// For predefined types that have been looked up before, and types that are decoded, in a few
// instructions:

/// The bytes of more elements may overflow.
constexpr Count most_elements = Count{1} << 48;

/// True: so many bytes are the host's. They are few, and not as many as a descriptor may have.
inline bool are_hosts(const MpiNode& node, Bytes bytes) noexcept {
  return bytes < node.threshold() && !engine::Lengths::noted(bytes);
}

/// True: so many bytes in one piece are the host's. They are too many for are_hosts().
inline bool is_hosts_piece(const MpiNode& node, Bytes bytes) noexcept {
  return bytes > engine::Lengths::longest && !node.moves_pieces(bytes) && !node.scatter_hints().any();
}

// True: the host sends the message whatever else is known. The first procedure knows predefined
// types only, and calls nothing, so that it needs few registers. A rank alone on its node has no
// MpiNode, and only the host reaches its peers if Network is not there either.

[[gnu::always_inline]] inline bool is_hosts(const void* address, Count count, MPI_Datatype type) noexcept {
  unsigned about = 0;
  if (!address || Network::here() || !known_predefined.find(type, about)) return false;
  const MpiNode* const node = MpiNode::here();
  if (!node) return true;
  if (count < 0 || count >= most_elements) return false;
  const Bytes bytes = count * bytes_of_predefined(about);
  return are_hosts(*node, bytes) || is_hosts_piece(*node, bytes);
}
[[gnu::always_inline]] inline bool is_hosts_with_holes(const void* address, Count count, MPI_Datatype type) noexcept {
  if (!address || Network::here() || count < 0) return false;
  const MpiNode* const node = MpiNode::here();
  if (node && count >= node->threshold()) return false;
  const Entry* const derived = table.find(type);
  if (!derived || !derived->known() || derived->pays_to_pack(count)) return false;
  return !node || (derived->size() < node->threshold() && are_hosts(*node, count * derived->size()));
}

/// Sends of a type that differ in nothing that decides between Heddle and the host.
inline std::uint64_t kind_of_send(Count count, const Envelope& to) noexcept {
  using threads::golden;
  return ((threads::key_of(to.comm) * golden + static_cast<unsigned>(to.rank)) * golden + static_cast<std::uint64_t>(count)) *
         golden;
}

/// True: the host moves a message with holes better than Heddle, as it did the last time
/// (left_to_host() in mpi/p2p/send.cpp). Does not look at the address.
[[gnu::always_inline]] inline bool was_left_to_host(const Entry* type, Count count, const Envelope& to) noexcept {
  return type && type->known() && !Network::here() && type->left_to_host().holds(kind_of_send(count, to));
}

/// The place of a receive's message.
enum class Destination : std::uint8_t {
  host,     ///< The host receives alone. No descriptor comes, or none fits.
  buffer,   ///< The program's buffer. The message may be a descriptor.
  unknown,  ///< landed() or route_of_receive() may know.
};

/// The destination of predefined elements.
[[gnu::always_inline]] inline Destination destination(const void* address, Count count, MPI_Datatype type) noexcept {
  unsigned about = 0;
  if (!address || Network::here() || ProbeQueue::any() || !known_predefined.find(type, about)) return Destination::unknown;
  const MpiNode* const node = MpiNode::here();
  if (!node || !node->carries_messages()) return Destination::host;
  if (is_predefined_pair(about) || count < 0 || count >= most_elements) return Destination::unknown;
  return count * bytes_of_predefined(about) < descriptor_bytes ? Destination::host : Destination::buffer;
}

/// A type with holes, whose message goes into the program's buffer and may be a descriptor. Null:
/// no receive of as many elements has landed. Then route_of_receive() knows.
[[gnu::always_inline]] inline const Entry* landed(const void* address, Count count, MPI_Datatype type) noexcept {
  const MpiNode* const node = MpiNode::here();
  if (!node || !node->carries_messages() || !address) return nullptr;
  const Entry* const derived = table.find(type);
  return derived && derived->has_landed(count) ? derived : nullptr;
}

/// The route of a send of the program. If it is as long as a descriptor may be, its length is
/// noted, because probes must know of it (engine/node/lengths.hpp).
inline Route route_of_send(const Buffer& data, int tag, Mode mode) noexcept {
  if (refused_at_zero(data)) return {};
  Route route = route_of_send(data, mode);
  if (route.protocol == Protocol::rendezvous && !messages_come())
    route.protocol = route.type && route.type->pays_to_pack(data.count) ? Protocol::packed : Protocol::passthrough;
  MpiNode* node = MpiNode::here();
  Network* network = Network::here();
  if ((!node && !network) || data.count <= 0 || data.count > engine::Lengths::longest) return route;
  Bytes bytes = 0;
  if (route.type && route.type->known())
    bytes = data.count * route.type->size();
  else if (route.type || data.count >= engine::Lengths::shortest / largest_element)
    bytes = data.count * predefined(data.type).size;
  if (node) node->rendezvous_sender().sends_plainly(bytes, tag);
  if (network) network->sends_plainly(bytes);
  return route;
}

/// Bytes from which on a message that needs no packing gets no staging buffer. The buffer would
/// double the message's memory, and making it would take longer than the host takes to move the
/// message.
constexpr Bytes most_room = Bytes{64} << 20;

/// True: the message has at least that many bytes, and has holes.
inline bool exceeds_room(const Entry& type, Count count) noexcept {
  Bytes bytes = 0;
  return count > 0 && !__builtin_mul_overflow(count, type.size(), &bytes) && bytes >= most_room && !type.contiguous(count);
}

/// True: a message that fits is never announced, because it is short. Only a message that is too
/// long for the receive may come as a descriptor. False between nodes.
inline bool is_short(const Entry& type, Count count) noexcept {
  const MpiNode* const node = MpiNode::here();
  return node && !Network::here() && count < node->threshold() && type.size() < node->threshold() &&
         type.size() * count < node->threshold();
}

/// True: the host can take a descriptor into the program's buffer, and unpacks as well as Heddle
/// does. For this, a descriptor must end at the end of an element, and all bytes of an element must
/// arrive. A host that does not pack while it sends needs a deep stack for long messages of such a
/// receive. Under such a host, this is true only for receives that are short, or too large for a
/// staging buffer.
inline bool takes_descriptor(const Entry& type, Count count) noexcept {
  if (type.pays_to_pack(count)) return false;
  const Wire& wire = type.wire();
  const bool even = traits().packs_while_it_sends ? type.uniform() || wire.element != MPI_BYTE
                                                  : type.uniform() && (is_short(type, count) || exceeds_room(type, count));
  return even && largest_element % wire.extent == 0 && !type.has_padded_numbers();
}

/// If messages may be a rendezvous (`come`), any receive that has room for a descriptor may bring
/// one. A derived type then goes through a staging buffer, unless the host unpacks as well as
/// Heddle does. The reason is that a descriptor may end within an element, which hosts refuse.
/// Pairs go through a staging buffer, too: they have 12 bytes, for example.
inline Route route_of_receive(const Buffer& data, bool come = messages_come()) {
  if (refused_at_zero(data)) return {};
  if (Entry* const found = table.find(data.type)) {
    // A receive that may bring a descriptor needs the layout.
    Entry* const type = come ? found->ready(data.type) : found->ready_for_message(data.type);
    if (!type) return {come ? Protocol::packed : Protocol::passthrough, found};
    if (come && takes_descriptor(*type, data.count)) {
      const bool room = data.count >= descriptor_bytes || data.count * type->size() >= descriptor_bytes;
      if (room) type->note_landing(data.count);
      return {room || ProbeQueue::any() ? Protocol::rendezvous : Protocol::passthrough, type};
    }
    return {come || type->pays_to_pack(data.count) ? Protocol::packed : Protocol::passthrough, type};
  }
  if (!come) return {};
  if (data.count >= descriptor_bytes / largest_element) {
    const Predefined type = predefined(data.type);
    if (type.pair) return {Protocol::packed};
    if (data.count >= descriptor_bytes || data.count * type.size >= descriptor_bytes) return {Protocol::rendezvous};
  }
  return {ProbeQueue::any() ? Protocol::rendezvous : Protocol::passthrough};
}

}  // namespace heddle::mpi
