// mpi/p2p/received_descriptor.cpp: tells a descriptor from data, fetches its message, and corrects
// the status.
#include "mpi/p2p/received_descriptor.hpp"

#include <algorithm>
#include <cstring>

#include "engine/node/arrival.hpp"
#include "layout/pack.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/request_table.hpp"

namespace heddle::mpi {
namespace {

/// True: these may be the first `seen` bytes of a descriptor.
bool may_begin_like_descriptor(const void* first, Bytes seen) noexcept {
  const auto looked_at = static_cast<std::size_t>(std::min<Bytes>(seen, sizeof(engine::Nonce)));
  const MpiNode* const node = MpiNode::here();
  const Network* const network = Network::here();
  return (node && std::memcmp(first, node->nonce().data(), looked_at) == 0) ||
         (network && std::memcmp(first, network->nonce().data(), looked_at) == 0);
}

using engine::Arrival;

/// Sets the status and returns the receive's result. Nothing: the message itself has arrived.
std::optional<int> outcome(const Arrival& arrival, MPI_Status* status) {
  if (arrival.outcome == Arrival::Outcome::as_it_is) return {};
  if (arrival.outcome == Arrival::Outcome::failed) {
    say(arrival.why);
    return MPI_ERR_INTERN;
  }
  PMPI_Status_set_elements_x(status, MPI_BYTE, arrival.moved);
  return arrival.outcome == Arrival::Outcome::whole ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

engine::Target target(const Buffer& data, const layout::Layout& layout) {
  return {&layout, data.count, const_cast<void*>(data.address)};
}

/// Of receives that the program has not completed yet, and of those that it has freed.
void find_standing(engine::Node& node, engine::Standing& found) {
  const auto look_at = [&](const Pending& each) {
    const void* const first = each.lands();
    engine::Descriptor descriptor;
    if (first && engine::is_descriptor(first, node.nonce()) &&
        read(first, node.nonce(), static_cast<std::uint32_t>(node.size()), node.memory_size(), descriptor))
      found.emplace_back(descriptor.sender, descriptor.generation);
  };
  requests::table.for_each_active(look_at);
  if (requests::freed.any()) requests::freed.for_each(look_at);
}

}  // namespace

std::optional<int> complete_staged(const Arrived& arrived, const Buffer& data, const layout::Layout& layout, const Sender& from,
                                   MPI_Status* status) noexcept {
  const auto [first, room, programs] = arrived;
  MpiNode* const node = MpiNode::here();
  const auto from_another_node = [&] { return !node || from.peer(*node, status->MPI_SOURCE) < 0; };
  if (begins_like_network_descriptor(first) && bytes_of(*status) == engine::network_descriptor_bytes && from_another_node() &&
      Network::here()->turns_away(first, room))
    return MPI_ERR_TRUNCATE;
  if (!node || room < descriptor_bytes) return {};
  const bool descriptor = engine::is_descriptor(first, node->nonce());
  if (!descriptor && !(programs && long_as_descriptor(*status, from.own()))) return {};
  // The descriptor is cut short, and a handler of the program has heard of the error. MPICH then
  // returns success.
  if (descriptor && bytes_of(*status) == room && engine::length_of(first) > room) {
    complete_truncated(MPI_ERR_TRUNCATE, first, room, data, layout, status);
    return MPI_SUCCESS;
  }
  const engine::Receipt receipt{.peer = from.peer(*node, status->MPI_SOURCE),
                                .tag = status->MPI_TAG,
                                .bytes = bytes_of(*status),
                                .own = from.own(),
                                .expected = from.own() ? layout::times(data.count, layout.size()) : 0,
                                .standing = programs ? find_standing : nullptr};
  return outcome(engine::fetch(*node, first, room, receipt, target(data, layout)), status);
}

bool complete_truncated(int result, void* arrived, Bytes room, const Buffer& data, const layout::Layout& layout,
                        MPI_Status* status) noexcept {
  MpiNode* const node = MpiNode::here();
  if (!node || !truncated(result)) return false;
  return outcome(engine::fetch_truncated(*node, arrived, room, target(data, layout)), status) == MPI_ERR_TRUNCATE;
}

int complete_receive(int result, const Buffer& data, const Derived& type, const Sender& from, MPI_Status* status) noexcept {
  Bytes bytes = 0;
  if (!type || data.count <= 0 || __builtin_mul_overflow(data.count, type->size(), &bytes)) return result;
  if (result != MPI_SUCCESS && !truncated(result)) return result;  // there may be no buffer
  const Bytes room = std::min(bytes, engine::network_descriptor_bytes);
  if (result == MPI_SUCCESS && room < descriptor_bytes) return result;
  void* first = static_cast<std::byte*>(const_cast<void*>(data.address)) + type->first_byte();
  // Almost always it is plain data, and the first piece shows that.
  if (result == MPI_SUCCESS && !may_begin_like_descriptor(first, type->first_piece()) &&
      !long_as_descriptor(*status, from.own()))
    return result;
  alignas(engine::Descriptor) std::byte copy[engine::network_descriptor_bytes];
  if (!type->contiguous(data.count)) {
    layout::pack_range(type->layout(), data.count, data.address, 0, room, copy);
    first = copy;
  }
  if (result == MPI_SUCCESS) return complete_staged({first, bytes, true}, data, type->layout(), from, status).value_or(result);
  complete_truncated(result, first, room, data, type->layout(), status);
  return result;
}

int complete_by_handle(int result, const Buffer& data, const Sender& from, MPI_Status* status) noexcept {
  return complete_receive(result, data, Derived(hold_any(data.type)), from, status);
}

}  // namespace heddle::mpi
