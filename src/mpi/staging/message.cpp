// mpi/staging/message.cpp: unpacking what has arrived, be it less than there was room for.
#include "mpi/staging/message.hpp"

#include <algorithm>

#include "mpi/rendezvous/rendezvous.hpp"

namespace heddle::mpi {

Message::Message(const Buffer& data, End end) noexcept : data_(data) {
  const bool copies = end == End::copying;
  const bool lands = end == End::receiving && must_not_split(data.type);
  type_ = copies || lands ? Derived(hold_any(data.type)) : Derived(data.type);
  prepare(copies, lands);
  if (lands && !type_ && data.count > 0) prepare_opaque();
}

// Of a type that Heddle cannot decode: it may bring a descriptor all the same.
void Message::prepare_opaque() noexcept {
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

void Message::prepare(bool copies, bool lands) noexcept {
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
    lacks_memory_ = lands;
}

void Message::pack() {
  Told told("send");
  {
    const report::Stopwatch watch(told.times(), &report::Times::pack);
    layout::pack(type_->layout(), data_.count, data_.address, packed_.data());
  }
  told.end(type_->layout(), "packed", bytes_);
}

namespace {

int peer_of(const Node& node, MPI_Comm comm, int source) { return comm == MPI_COMM_NULL ? -1 : node.peer(comm, source); }
int peer_of(const Node& node, const communicators::Hold& comm, int source) { return node.peer(comm.world_rank(source)); }

}  // namespace

int Message::unpack(int result, MPI_Comm comm, MPI_Status* status) { return unpack_from(result, comm, status); }
int Message::unpack(int result, const communicators::Hold& comm, MPI_Status* status) {
  return unpack_from(result, comm, status);
}

template <class Comm>
int Message::unpack_from(int result, const Comm& comm, MPI_Status* status) {
  if (!ours()) return landed(result, data_, status);
  if (opaque_) return unpack_opaque(result, status);
  if (result == MPI_SUCCESS) {
    if (const Done done = landed_in(address_, bytes_, data_, type_->layout(), status)) return *done;
  } else if (cut_short(result, address_, bytes_, data_, type_->layout(), status)) {
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
    if (const int peer = peer_of(*node, comm, status->MPI_SOURCE); peer >= 0) node->wish_from(peer);
  Told told("receive");
  {
    const report::Stopwatch watch(told.times(), &report::Times::copy);
    if (arrived >= bytes_)
      layout::unpack(type_->layout(), data_.count, const_cast<void*>(data_.address), packed_.data());
    else
      layout::unpack_range(type_->layout(), data_.count, const_cast<void*>(data_.address), 0, arrived, packed_.data());
  }
  told.end(type_->layout(), "packed", std::min<Bytes>(arrived, bytes_));
  return result;
}

int Message::unpack_opaque(int result, MPI_Status* status) {
  int kind = MPI_SUCCESS;
  if (result != MPI_SUCCESS && (PMPI_Error_class(result, &kind) != MPI_SUCCESS || kind != MPI_ERR_TRUNCATE)) return result;
  Bounce whole;  // what was announced comes as it lies in the stream
  Done brought;
  if (announces(address_)) {
    if (!whole.reserve(bytes_)) return MPI_ERR_NO_MEM;
    const layout::Layout stream = layout::contiguous(bytes_, layout::basic(1));
    const Buffer into{whole.data(), 1, MPI_BYTE};
    if (result == MPI_SUCCESS)
      brought = landed_in(address_, bytes_, into, stream, status);
    else if (cut_short(result, address_, bytes_, into, stream, status))
      brought = result;
  }
  MPI_Count arrived = 0;
  if (PMPI_Get_elements_x(status, MPI_BYTE, &arrived) != MPI_SUCCESS || arrived <= 0) return brought.value_or(result);
  const bool placed = opaque_.unpack(data_, brought ? whole.data() : packed_.data(), std::min<Bytes>(arrived, bytes_));
  return placed ? brought.value_or(result) : MPI_ERR_INTERN;
}

}  // namespace heddle::mpi
