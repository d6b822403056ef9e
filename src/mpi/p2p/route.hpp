// mpi/p2p/route.hpp: the way that a message takes, decided once in a call, by one look at its datatype. Includes network/,
// node.hpp, probe_queue.hpp, types/, engine/.
//
//   const Route route = route_of_send({buffer, count, type}, tag, Mode::standard);
//   if (route.way == Way::passthrough) return PMPI_Send(buffer, count, type, dest, tag, comm);
//
//                  a send                                       a receive
//   passthrough    is the host's, as the program made it        likewise: what may arrive does not concern Heddle
//   packed         goes through a staging buffer                likewise; a descriptor in it becomes its message
//   rendezvous     is a descriptor for a rank of this node,     goes straight into the program's buffer; a
//                  or of another, if the fabric takes it;       descriptor in it becomes its message
//                  else as if there were no rendezvous
#pragma once

#include "engine/network/send.hpp"
#include "engine/rendezvous.hpp"
#include "mpi/network/network.hpp"
#include "mpi/node/node.hpp"
#include "mpi/p2p/probe_queue.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/arguments.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {

/// Of a send (MPI-5.0 §3.4).
enum class Mode { standard, buffered, synchronous, ready };

enum class Way : std::uint8_t { passthrough, packed, rendezvous };

struct Route {
  Way way = Way::passthrough;
  Entry* type = nullptr;  ///< Null: predefined, or none that Heddle has seen committed.
};

/// The shortest receive that could hold a descriptor. Bytes.
constexpr Bytes descriptor_bytes = sizeof(engine::Descriptor);

/// Whether a receive may bring a descriptor.
inline bool descriptors_come() noexcept { return Node::here() || Network::here(); }

/// The same of a receive of the program's: not where a rank leaves messages to the MPI library (HEDDLE_MESSAGES=native).
inline bool messages_come() noexcept {
  const Node* node = Node::here();
  return (node && node->carries_messages()) || Network::here();
}

using engine::may_cross;
using engine::may_meet;

// Of predefined types, as far as can be said in a few ns:

inline bool may_cross(const Network& network, Count count) noexcept {
  return network.moves_pieces() && count >= network.threshold() / largest_element;
}

inline bool may_meet(const Node& node, MPI_Datatype type, Count count) noexcept {
  if (node.scatter_hints().any()) return count >= node.threshold() / largest_element;
  return count >= Node::least_piece / largest_element && count <= Node::most_piece &&
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

/// Without a word about its length: on communicators of Heddle's own, where no probe comes across it.
inline Route route_of_send(const Buffer& data, Mode mode = Mode::standard) noexcept {
  const Node* node = mode == Mode::buffered ? nullptr : Node::here();
  Entry* type = table.find(data.type);
  const Network* network = mode == Mode::buffered ? nullptr : Network::here();
  if (!type) {
    const bool meets = (node && may_meet(*node, data.type, data.count)) || (network && may_cross(*network, data.count));
    return {meets ? Way::rendezvous : Way::passthrough};
  }
  Entry* const fresh = type;
  type = fresh->ready_for_message(data.type);
  if (!type) return {Way::passthrough, fresh};
  if (node && may_meet(*node, *type, data.count)) return {Way::rendezvous, type};
  if (network && may_cross(*network, *type, data.count)) return {Way::rendezvous, type};
  return {type->pays_to_pack(data.count) ? Way::packed : Way::passthrough, type};
}

/// Of a send of the program's. Its length may be one that descriptors have (engine/lengths.hpp): then probes must know of it.
inline Route route_of_send(const Buffer& data, int tag, Mode mode) noexcept {
  if (refused_at_zero(data)) return {};
  Route route = route_of_send(data, mode);
  if (route.way == Way::rendezvous && !messages_come())
    route.way = route.type && route.type->pays_to_pack(data.count) ? Way::packed : Way::passthrough;
  Node* node = Node::here();
  Network* network = Network::here();
  if ((!node && !network) || data.count <= 0 || data.count > engine::Lengths::longest) return route;
  Bytes bytes = 0;
  if (route.type && route.type->known())
    bytes = data.count * route.type->size();
  else if (route.type || data.count >= engine::Lengths::shortest / largest_element)
    bytes = data.count * predefined(data.type).size;
  if (node) node->outbox().sends_plainly(bytes, tag);
  if (network) network->sends_plainly(bytes);
  return route;
}

/// Room for so many packed bytes would be as much memory again as the message has, and take longer to bring into being than the
/// host takes to move what needs no packing.
constexpr Bytes most_room = Bytes{64} << 20;

/// The program's buffer is larger than that, and has holes.
inline bool exceeds_room(const Entry& type, Count count) noexcept {
  Bytes bytes = 0;
  return count > 0 && !__builtin_mul_overflow(count, type.size(), &bytes) && bytes >= most_room && !type.contiguous(count);
}

/// Whether the host can take a descriptor into the program's buffer, and unpacks as well as Heddle does: a descriptor ends with
/// one of the type's elements, all of whose bytes arrive. A host that does not pack while it sends needs a deep stack for it:
/// there, only receives that no staging buffer should be made for are such.
inline bool takes_descriptor(const Entry& type, Count count) noexcept {
  if (type.pays_to_pack(count)) return false;
  const Wire& wire = type.wire();
  const bool even =
      traits().packs_while_it_sends ? type.uniform() || wire.element != MPI_BYTE : type.uniform() && exceeds_room(type, count);
  return even && largest_element % wire.extent == 0 && !type.has_padded_numbers();
}

/// Where messages may be a rendezvous (`come`), any receive that has room for a descriptor may bring one. A derived type goes
/// through a staging buffer then, unless the host unpacks it as well: a descriptor may end within an element, which hosts
/// refuse; so do pairs, of 12 bytes or so.
inline Route route_of_receive(const Buffer& data, bool come = messages_come()) {
  if (refused_at_zero(data)) return {};
  if (Entry* const found = table.find(data.type)) {
    Entry* const type = found->ready_for_message(data.type);
    if (!type) return {come ? Way::packed : Way::passthrough, found};
    if (come && takes_descriptor(*type, data.count)) {
      const bool room = data.count >= descriptor_bytes || data.count * type->size() >= descriptor_bytes;
      return {room || ProbeQueue::any() ? Way::rendezvous : Way::passthrough, type};
    }
    return {come || type->pays_to_pack(data.count) ? Way::packed : Way::passthrough, type};
  }
  if (!come) return {};
  if (data.count >= descriptor_bytes / largest_element) {
    const Predefined type = predefined(data.type);
    if (type.pair) return {Way::packed};
    if (data.count >= descriptor_bytes || data.count * type.size >= descriptor_bytes) return {Way::rendezvous};
  }
  return {ProbeQueue::any() ? Way::rendezvous : Way::passthrough};
}

}  // namespace heddle::mpi
