// mpi/rendezvous/landed.cpp: the receiver's side: is what has arrived a descriptor, and if so, where is the message?
#include "engine/inbox.hpp"
#include "layout/pack.hpp"
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/say.hpp"

namespace heddle::mpi {
namespace {

/// The first bytes of the program's buffer in packed order, where they lie or copied to `copy`. Null: too short, unknown.
const void* first_bytes(const Buffer& data, const Entry& entry, engine::Descriptor& copy) {
  Bytes bytes = 0;
  if (data.count <= 0 || __builtin_mul_overflow(data.count, entry.size(), &bytes) || bytes < descriptor_bytes) return nullptr;
  if (entry.contiguous(data.count)) return static_cast<const std::byte*>(data.address) + entry.first_byte();
  layout::pack_range(entry.layout(), data.count, data.address, 0, sizeof copy.nonce, &copy);
  if (!engine::announced(&copy, Node::here()->nonce())) return nullptr;
  layout::pack_range(entry.layout(), data.count, data.address, 0, descriptor_bytes, &copy);
  return &copy;
}

/// Brings the message. Its descriptor is no longer needed where it arrived.
int bring(const engine::Descriptor& descriptor, const engine::Target& target, MPI_Status* status) {
  Node* node = Node::here();
  Told told("receive");
  engine::Reach reach = node->reach(static_cast<int>(descriptor.sender));
  if (!reach.memory || engine::stale(descriptor, reach.memory)) {
    say("a message's announcement does not fit to its message; the receive fails. Set HEDDLE_SCHEME=native to go without.");
    return MPI_ERR_INTERN;
  }
  reach.times = told.times();
  const Bytes moved = engine::receive(descriptor, reach, target);
  told.end(*target.layout, select::name(descriptor.scheme), moved);
  if (status != MPI_STATUS_IGNORE) PMPI_Status_set_elements_x(status, MPI_BYTE, moved);
  return moved == descriptor.total ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

}  // namespace

Done landed_in(const void* stand_in, Bytes room, const Buffer& data, const layout::Layout& layout,
               MPI_Status* status) noexcept {
  const Node* node = Node::here();
  engine::Descriptor descriptor;
  if (!node || room < descriptor_bytes || !engine::announced(stand_in, node->nonce()) ||
      !engine::read(stand_in, node->nonce(), static_cast<std::uint32_t>(node->size()), node->memory_size(), descriptor))
    return {};
  return bring(descriptor, {&layout, data.count, const_cast<void*>(data.address)}, status);
}

int raise_new(int result, int host_result, MPI_Comm comm) noexcept {
  if (result != host_result) PMPI_Comm_call_errhandler(comm, result);
  return result;
}

int landed(int result, const Buffer& data, MPI_Status* status) noexcept {
  if (result != MPI_SUCCESS || !Node::here()) return result;
  const Entry* entry = hold_any(data.type);
  if (!entry) return result;
  engine::Descriptor copy;
  const void* first = first_bytes(data, *entry, copy);
  if (first)
    if (const Done done = landed_in(first, descriptor_bytes, data, entry->layout(), status)) result = *done;
  entry->release();
  return result;
}

}  // namespace heddle::mpi
