// mpi/p2p/rendezvous.cpp
#include "mpi/p2p/rendezvous.hpp"

#include <algorithm>
#include <cstring>

#include "engine/arrival.hpp"
#include "layout/pack.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// As far as the first `seen` bytes of it tell.
bool may_begin_like_descriptor(const void* first, Bytes seen) noexcept {
  const auto looked_at = static_cast<std::size_t>(std::min<Bytes>(seen, sizeof(engine::Nonce)));
  const Node* const node = Node::here();
  const Network* const network = Network::here();
  return (node && std::memcmp(first, node->nonce().data(), looked_at) == 0) ||
         (network && std::memcmp(first, network->nonce().data(), looked_at) == 0);
}

using engine::Arrival;

/// The receive's result, and its status. Nothing: what has arrived is the message.
std::optional<int> outcome(const Arrival& arrival, MPI_Status* status) {
  if (arrival.how == Arrival::How::as_it_is) return {};
  if (arrival.how == Arrival::How::failed) {
    say(arrival.why);
    return MPI_ERR_INTERN;
  }
  PMPI_Status_set_elements_x(status, MPI_BYTE, arrival.moved);
  return arrival.how == Arrival::How::whole ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

engine::Target target(const Buffer& data, const layout::Layout& layout) {
  return {&layout, data.count, const_cast<void*>(data.address)};
}

}  // namespace

std::optional<int> complete_staged(void* staged, Bytes room, const Buffer& data, const layout::Layout& layout,
                                   MPI_Status* status) noexcept {
  if (begins_like_network_descriptor(staged) && Network::here()->turns_away(staged, room)) return MPI_ERR_TRUNCATE;
  Node* const node = Node::here();
  if (!node || room < descriptor_bytes || !engine::is_descriptor(staged, node->nonce())) return {};
  // Cut short, and a handler of the program has heard of it: MPICH calls that a success.
  if (bytes_of(*status) == room && engine::length_of(staged) > room) {
    complete_truncated(MPI_ERR_TRUNCATE, staged, room, data, layout, status);
    return MPI_SUCCESS;
  }
  return outcome(engine::fetch(*node, staged, room, bytes_of(*status), target(data, layout)), status);
}

bool complete_truncated(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
                        MPI_Status* status) noexcept {
  Node* const node = Node::here();
  if (!node || !truncated(result)) return false;
  return outcome(engine::fetch_truncated(*node, arrived, room, target(data, layout)), status) == MPI_ERR_TRUNCATE;
}

int complete_receive(int result, const Buffer& data, const Derived& type, MPI_Status* status) noexcept {
  Bytes bytes = 0;
  if (!type || data.count <= 0 || __builtin_mul_overflow(data.count, type->size(), &bytes)) return result;
  if (result != MPI_SUCCESS && !truncated(result)) return result;  // there may be no buffer
  const Bytes room = std::min(bytes, engine::network_descriptor_bytes);
  if (result == MPI_SUCCESS && room < descriptor_bytes) return result;
  void* first = static_cast<std::byte*>(const_cast<void*>(data.address)) + type->first_byte();
  // Almost always it is what it seems, and the first piece tells.
  if (result == MPI_SUCCESS && !may_begin_like_descriptor(first, type->first_piece())) return result;
  alignas(engine::Descriptor) std::byte copy[engine::network_descriptor_bytes];
  if (!type->contiguous(data.count)) {
    layout::pack_range(type->layout(), data.count, data.address, 0, room, copy);
    first = copy;
  }
  if (result == MPI_SUCCESS) return complete_staged(first, bytes, data, type->layout(), status).value_or(result);
  complete_truncated(result, first, room, data, type->layout(), status);
  return result;
}

int complete_by_handle(int result, const Buffer& data, MPI_Status* status) noexcept {
  return complete_receive(result, data, Derived(hold_any(data.type)), status);
}

}  // namespace heddle::mpi
