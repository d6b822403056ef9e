// mpi/p2p/staged_message.cpp: unpacks a message, which may be shorter than its receive.
#include "mpi/p2p/staged_message.hpp"

#include <algorithm>

#include "mpi/p2p/received_descriptor.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {

StagedMessage::StagedMessage(const Buffer& data, End end, Entry* type) noexcept : data_(data) {
  const bool lands = end == End::receiving && descriptors_come();
  if (const Entry* const decoded = type ? type->ready(data.type) : nullptr)
    type_ = Derived::use(*decoded);
  else if (!type && (lands || end == End::copying))
    type_ = Derived(hold_any(data.type));
  prepare(end);
  if (!type_ && data.count > 0 && (lands || end == End::copying)) prepare_opaque();
}

// Makes a staging buffer for a type that Heddle cannot decode.
void StagedMessage::prepare_opaque() noexcept {
  Opaque opaque(data_.type);
  if (opaque.empty()) return;
  Bytes bytes = 0;
  if (!opaque || __builtin_mul_overflow(data_.count, opaque.size(), &bytes)) return staging_.refuse();
  staging_.reserve(bytes);
  element_ = MPI_BYTE;
  count_ = bytes;
  opaque_ = std::move(opaque);
}

void StagedMessage::prepare(End end) noexcept {
  if (!type_) return;
  staging_.open({type_.get(), data_.count, const_cast<void*>(data_.address)}, end, end == End::receiving && descriptors_come());
  if (!ours()) return;
  const Wire& wire = type_->wire();
  // MPICH 5.0.2 ends the job if a message ends within an element of a predefined type.
  const bool bytes = wire.pair || (end == End::receiving && traits().host == Host::mpich);
  element_ = bytes ? MPI_BYTE : wire.element;
  count_ = bytes ? staging_.bytes() : data_.count * wire.per;
}

int StagedMessage::unpack(int result, const Sender& from, MPI_Status* status) {
  if (!ours()) return type_ ? complete_receive(result, data_, type_, from, status) : result;
  if (opaque_) return unpack_opaque(result, from, status);
  if (result == MPI_SUCCESS) {
    const Arrived here{staging_.address(), staging_.bytes(), !staging_.apart()};
    if (const std::optional<int> done = complete_staged(here, data_, type_->layout(), from, status)) return *done;
  } else if (complete_truncated(result, staging_.address(), staging_.bytes(), data_, type_->layout(), status)) {
    return result;
  }
  if (!staging_.apart() || (result != MPI_SUCCESS && !truncated(result))) return result;
  const Bytes arrived = bytes_of(*status);
  if (arrived <= 0) return result;
  if (MpiNode* node = MpiNode::here(); node && arrived >= node->threshold())
    if (const int peer = from.peer(*node, status->MPI_SOURCE); peer >= 0) node->tell_to_scatter(peer);
  staging_.unpack(arrived);
  const Wire& wire = type_->wire();
  const bool within_element = !wire.pair && arrived % wire.extent != 0;
  return result == MPI_SUCCESS && within_element && traits().host == Host::mpich ? MPI_ERR_TYPE : result;
}

int StagedMessage::unpack_opaque(int result, const Sender& from, MPI_Status* status) {
  if (result != MPI_SUCCESS && !truncated(result)) return result;
  threads::StagingBuffer whole;  // an announced message comes as packed bytes
  std::optional<int> brought;
  if (begins_like_descriptor(staging_.address())) {
    if (!whole.reserve(staging_.bytes())) return MPI_ERR_NO_MEM;
    const layout::Layout stream = layout::contiguous(staging_.bytes(), layout::basic(1));
    const Buffer into{whole.data(), 1, MPI_BYTE};
    if (result == MPI_SUCCESS)
      brought = complete_staged({staging_.address(), staging_.bytes()}, into, stream, from, status);
    else if (complete_truncated(result, staging_.address(), staging_.bytes(), into, stream, status))
      brought = result;
  }
  const Bytes arrived = bytes_of(*status);
  if (arrived <= 0) return brought.value_or(result);
  const bool placed =
      opaque_.unpack(data_, brought ? whole.data() : staging_.address(), std::min<Bytes>(arrived, staging_.bytes()));
  return placed ? brought.value_or(result) : MPI_ERR_INTERN;
}

}  // namespace heddle::mpi
