// mpi/p2p/staged_message.cpp: unpacking what has arrived, be it less than there was room for.
#include "mpi/p2p/staged_message.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi/p2p/rendezvous.hpp"

namespace heddle::mpi {

StagedMessage::StagedMessage(const Buffer& data, End end, Entry* type) noexcept : data_(data) {
  const bool lands = end == End::receiving && descriptors_come();
  if (type && type->ready(data.type))
    type_ = Derived::use(*type);
  else if (!type && (lands || end == End::copying))
    type_ = Derived(hold_any(data.type));
  prepare(end);
  if (!type_ && data.count > 0 && (lands || end == End::copying)) prepare_opaque();
}

// Of a type that Heddle cannot decode.
void StagedMessage::prepare_opaque() noexcept {
  Opaque opaque(data_.type);
  if (opaque.empty()) return;
  lacks_memory_ = true;
  if (!opaque || __builtin_mul_overflow(data_.count, opaque.size(), &bytes_)) return;
  element_ = MPI_BYTE;
  count_ = bytes_;
  if (packed_.reserve(bytes_)) address_ = packed_.data();
  lacks_memory_ = address_ == nullptr;
  opaque_ = std::move(opaque);
}

void StagedMessage::prepare(End end) noexcept {
  const bool copies = end == End::copying;
  const bool lands = end == End::receiving && descriptors_come();
  const Buffer& data = data_;
  if (!type_ || data.count <= 0 || __builtin_mul_overflow(data.count, type_->size(), &bytes_)) return;
  if (!copies && !type_->pays_to_pack(data.count) && (!lands || bytes_ < descriptor_bytes)) return;
  const Wire& wire = type_->wire();
  const bool elements = !wire.pair;
  element_ = elements ? wire.element : MPI_BYTE;
  count_ = elements ? data.count * wire.per : bytes_;
  static std::byte nothing;
  if (bytes_ == 0)
    address_ = &nothing;
  else if (!copies && type_->contiguous(data.count))
    address_ = static_cast<std::byte*>(const_cast<void*>(data.address)) + type_->first_byte();
  else if (packed_.reserve(bytes_))
    address_ = packed_.data();
  else
    lacks_memory_ = lands || copies;
}

namespace {

/// For a report: why it is no rendezvous.
std::string why_packed(Bytes bytes) {
  const Node* node = Node::here();
  if (!node) return "no memory is shared with other ranks of this node";
  if (bytes < node->threshold()) return fmt::format("{} bytes are fewer than HEDDLE_RENDEZVOUS ({})", bytes, node->threshold());
  return "its receiver is no rank of this node, or there is no room for its segments";
}

}  // namespace

bool StagedMessage::pack() {
  if (opaque_) return opaque_.pack(data_, packed_.data(), bytes_);
  report::ReportedCall reported("send");
  {
    const report::Stopwatch watch(reported.times(), &report::Times::pack);
    layout::pack(type_->layout(), data_.count, data_.address, packed_.data());
  }
  reported.end(type_->layout(), "packed", bytes_, [this] { return why_packed(bytes_); });
  return true;
}

namespace {

int peer_of(const Node& node, MPI_Comm comm, int source) { return comm == MPI_COMM_NULL ? -1 : node.peer(comm, source); }
int peer_of(const Node& node, const communicators::Hold& comm, int source) { return node.peer(comm.world_rank(source)); }

}  // namespace

int StagedMessage::unpack(int result, MPI_Comm comm, MPI_Status* status) { return unpack_from(result, comm, status); }
int StagedMessage::unpack(int result, const communicators::Hold& comm, MPI_Status* status) {
  return unpack_from(result, comm, status);
}

template <class Comm>
int StagedMessage::unpack_from(int result, const Comm& comm, MPI_Status* status) {
  if (!ours()) return type_ ? complete_receive(result, data_, type_, status) : result;
  if (opaque_) return unpack_opaque(result, status);
  if (result == MPI_SUCCESS) {
    if (const Done done = complete_staged(address_, bytes_, data_, type_->layout(), status)) return *done;
  } else if (complete_truncated(result, address_, bytes_, data_, type_->layout(), status)) {
    return result;
  }
  if (address_ != packed_.data()) return result;
  if (result != MPI_SUCCESS) {
    int kind = MPI_SUCCESS;
    if (PMPI_Error_class(result, &kind) != MPI_SUCCESS || kind != MPI_ERR_TRUNCATE) return result;
  }
  MPI_Count arrived = 0;
  if (PMPI_Get_elements_x(status, MPI_BYTE, &arrived) != MPI_SUCCESS || arrived <= 0) return result;
  if (Node* node = Node::here(); node && arrived >= node->threshold())
    if (const int peer = peer_of(*node, comm, status->MPI_SOURCE); peer >= 0) node->tell_to_scatter(peer);
  report::ReportedCall reported("receive");
  {
    const report::Stopwatch watch(reported.times(), &report::Times::copy);
    if (arrived >= bytes_)
      layout::unpack(type_->layout(), data_.count, const_cast<void*>(data_.address), packed_.data());
    else
      layout::unpack_range(type_->layout(), data_.count, const_cast<void*>(data_.address), 0, arrived, packed_.data());
  }
  reported.end(type_->layout(), "packed", std::min<Bytes>(arrived, bytes_));
  return result;
}

int StagedMessage::unpack_opaque(int result, MPI_Status* status) {
  int kind = MPI_SUCCESS;
  if (result != MPI_SUCCESS && (PMPI_Error_class(result, &kind) != MPI_SUCCESS || kind != MPI_ERR_TRUNCATE)) return result;
  threads::StagingBuffer whole;  // what was announced comes as it lies in the stream
  Done brought;
  if (begins_like_descriptor(address_)) {
    if (!whole.reserve(bytes_)) return MPI_ERR_NO_MEM;
    const layout::Layout stream = layout::contiguous(bytes_, layout::basic(1));
    const Buffer into{whole.data(), 1, MPI_BYTE};
    if (result == MPI_SUCCESS)
      brought = complete_staged(address_, bytes_, into, stream, status);
    else if (complete_truncated(result, address_, bytes_, into, stream, status))
      brought = result;
  }
  MPI_Count arrived = 0;
  if (PMPI_Get_elements_x(status, MPI_BYTE, &arrived) != MPI_SUCCESS || arrived <= 0) return brought.value_or(result);
  const bool placed = opaque_.unpack(data_, brought ? whole.data() : packed_.data(), std::min<Bytes>(arrived, bytes_));
  return placed ? brought.value_or(result) : MPI_ERR_INTERN;
}

}  // namespace heddle::mpi
