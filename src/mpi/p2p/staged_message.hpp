// mpi/p2p/staged_message.hpp: one end of a message that travels packed, as the host sees it.
//
// Each end decides for itself whether it packs: the same bytes travel in both cases. Packed bytes
// go as elements of the signature's basic type if there is one, which keeps counts small. A pair
// type goes as bytes.
#pragma once

#include <utility>

#include "engine/p2p/staging.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/p2p/sender.hpp"
#include "mpi/types/element.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

class StagedMessage {
 public:
  using End = engine::Staging::End;

  /// A message to send. It is ours() only if packing pays and there is memory for it.
  StagedMessage(const Buffer& data, Derived type) noexcept : data_(data), type_(std::move(type)) { prepare(End::sending); }
  /// A receive that may bring a descriptor, or a send that leaves its buffer to a receive
  /// (copying). It is ours() even if packing does not pay, or if Heddle cannot decode the type.
  /// @param type  The type of the Route.
  StagedMessage(const Buffer& data, End end, Entry* type) noexcept;

  [[nodiscard]] bool ours() const { return staging_.address() != nullptr; }
  /// True: the packed bytes lie in memory that only Heddle writes.
  [[nodiscard]] bool apart() const { return staging_.apart(); }
  /// It must be ours(), but there is no memory: the receive cannot be made.
  [[nodiscard]] bool lacks_memory() const { return staging_.lacks_memory(); }
  /// True: after the host has unpacked a message into these elements, Heddle can pack all its bytes
  /// again.
  [[nodiscard]] bool keeps_bytes() const { return type_ && !type_->has_padded_numbers(); }
  /// False: the host refuses to pack a type that Heddle cannot decode.
  [[nodiscard]] bool pack() {
    if (opaque_) return opaque_.pack(data_, staging_.address(), staging_.bytes());
    staging_.pack(MpiNode::here());
    return true;
  }
  /// Puts the received message in place, or brings it if a descriptor has come. `result` is the
  /// receive's: a truncated message has arrived in part. Returns the program's error code. If the
  /// host has not raised it, the caller does (raise_new).
  int unpack(int result, const Sender& from, MPI_Status* status);

  /// Bytes of the staging buffer.
  [[nodiscard]] Bytes bytes() const { return staging_.bytes(); }
  /// The buffer that the host sends or receives.
  [[nodiscard]] Buffer at_host() const { return ours() ? Buffer{staging_.address(), count_, element_} : data_; }

 private:
  void prepare(End end) noexcept;
  void prepare_opaque() noexcept;
  int unpack_opaque(int result, const Sender& from, MPI_Status* status);

  Buffer data_;
  Derived type_;
  Opaque opaque_;
  MPI_Datatype element_{};
  Count count_ = 0;
  engine::Staging staging_;
};

}  // namespace heddle::mpi
