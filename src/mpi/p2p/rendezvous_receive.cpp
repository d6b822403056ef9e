// mpi/p2p/rendezvous_receive.cpp: the receiver's side: is what has arrived a descriptor, and if so, where is the message?
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "engine/inbox.hpp"
#include "layout/pack.hpp"
#include "mpi/p2p/rendezvous.hpp"
#include "mpi/process/say.hpp"

namespace heddle::mpi {
namespace {

/// What has arrived is as long as it says. An empty message leaves in the buffer what was there.
bool as_long_as_it_says(const void* arrived, const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS && engine::Lengths::possible(bytes) &&
         bytes == engine::length_of(arrived);
}

/// As far as the first `seen` bytes of it tell.
bool may_begin_like_descriptor(const void* first, Bytes seen) noexcept {
  const auto looked_at = static_cast<std::size_t>(std::min<Bytes>(seen, sizeof(engine::Nonce)));
  const Node* const node = Node::here();
  const Network* const network = Network::here();
  return (node && std::memcmp(first, node->nonce().data(), looked_at) == 0) ||
         (network && std::memcmp(first, network->nonce().data(), looked_at) == 0);
}

bool truncated(int result) noexcept {
  int kind = MPI_SUCCESS;
  return PMPI_Error_class(result, &kind) == MPI_SUCCESS && kind == MPI_ERR_TRUNCATE;
}

/// Brings the message. Its descriptor is no longer needed where it arrived.
int bring(const engine::Descriptor& descriptor, const engine::Target& target, MPI_Status* status) {
  Node* node = Node::here();
  report::ReportedCall reported("receive");
  engine::Reach reach = node->reach(static_cast<int>(descriptor.sender));
  if (!reach.memory || engine::stale(descriptor, reach)) {
    say("a message's announcement does not fit to its message; the receive fails. Set HEDDLE_SCHEME=native to go without.");
    return MPI_ERR_INTERN;
  }
  reach.times = reported.times();
  const Bytes moved = engine::receive(descriptor, reach, target);
  if (moved == engine::damaged) {
    say("a message's control block is damaged; the receive fails. Set HEDDLE_SCHEME=native to go without.");
    return MPI_ERR_INTERN;
  }
  reported.end(*target.layout, select::name(descriptor.scheme), moved, [] { return std::string("its sender has chosen it"); });
  PMPI_Status_set_elements_x(status, MPI_BYTE, moved);
  return moved == descriptor.total ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

/// Of another node, in a receive that is too short for any message of the fabric's: nobody gets it.
bool is_truncated_descriptor(const void* arrived, Bytes room) noexcept {
  engine::NetworkDescriptor descriptor;
  Network* const network = Network::here();
  if (room < engine::network_descriptor_bytes || !network || !read(arrived, network->nonce(), network->ranks(), descriptor))
    return false;
  network->tell_sender(descriptor, Network::Word::unwanted);
  return true;
}

}  // namespace

Done complete_staged(void* staged, Bytes room, const Buffer& data, const layout::Layout& layout, MPI_Status* status) noexcept {
  if (begins_like_network_descriptor(staged) && is_truncated_descriptor(staged, room)) {
    std::memset(staged, 0, sizeof(engine::Nonce));
    return MPI_ERR_TRUNCATE;
  }
  const Node* node = Node::here();
  engine::Descriptor descriptor;
  if (!node || room < descriptor_bytes || !engine::is_descriptor(staged, node->nonce()) || !as_long_as_it_says(staged, *status))
    return {};
  const bool sound =
      engine::read(staged, node->nonce(), static_cast<std::uint32_t>(node->size()), node->memory_size(), descriptor);
  std::memset(staged, 0, sizeof(engine::Nonce));  // whatever comes of it: it is not to be found here again
  if (sound) return bring(descriptor, {&layout, data.count, const_cast<void*>(data.address)}, status);
  say("the announcement of a message has arrived damaged; the receive fails. Set HEDDLE_SCHEME=native to go without.");
  return MPI_ERR_INTERN;
}

bool complete_truncated(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
                        MPI_Status* status) noexcept {
  Node* node = Node::here();
  constexpr Bytes least = offsetof(engine::Descriptor, generation);
  if (!node || room < least || !truncated(result) || !engine::is_descriptor(arrived, node->nonce())) return false;
  const auto ranks = static_cast<std::uint32_t>(node->size());
  engine::Descriptor descriptor;
  if (room >= descriptor_bytes && engine::read(arrived, node->nonce(), ranks, node->memory_size(), descriptor)) {
    std::memset(arrived, 0, sizeof(engine::Nonce));
    return bring(descriptor, {&layout, data.count, const_cast<void*>(data.address)}, status) == MPI_ERR_TRUNCATE;
  }
  std::memcpy(static_cast<void*>(&descriptor), arrived, least);
  std::memset(arrived, 0, sizeof(engine::Nonce));
  if (descriptor.sender >= ranks) return false;
  const engine::Reach reach = node->reach(static_cast<int>(descriptor.sender));
  if (reach.memory) engine::drain(descriptor.control, reach.memory, reach.memory_size, reach.crowded);
  return false;
}

int complete_receive(int result, const Buffer& data, const Derived& type, MPI_Status* status) noexcept {
  Bytes bytes = 0;
  if (!type || data.count <= 0 || __builtin_mul_overflow(data.count, type->size(), &bytes)) return result;
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
  if (result == MPI_SUCCESS) return complete_staged(first, room, data, type->layout(), status).value_or(result);
  complete_truncated(result, first, room, data, type->layout(), status);
  return result;
}

int complete_by_handle(int result, const Buffer& data, MPI_Status* status) noexcept {
  return complete_receive(result, data, Derived(hold_any(data.type)), status);
}

}  // namespace heddle::mpi
