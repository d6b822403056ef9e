// mpi/p2p/staged_message.hpp: one end of a message that travels packed, as the host sees it. Includes communicators/, types/,
// engine/staging.hpp.
//
// Which end packs is that end's own business: the bytes that travel are the same either way. Packed bytes go as elements of
// the signature's basic type where it has one, which keeps counts small; a pair type goes as bytes.
#pragma once

#include <utility>

#include "engine/staging.hpp"
#include "mpi/communicators/known.hpp"
#include "mpi/node/node.hpp"
#include "mpi/p2p/sender.hpp"
#include "mpi/types/arguments.hpp"
#include "mpi/types/element.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class StagedMessage {
 public:
  using End = engine::Staging::End;

  /// To be sent. Not ours() unless packing pays and there is memory for it.
  StagedMessage(const Buffer& data, Derived type) noexcept : data_(data), type_(std::move(type)) { prepare(End::sending); }
  /// Ours() also if packing does not pay, and of types that Heddle cannot decode: a receive that may bring a descriptor, and a
  /// send that leaves its buffer to a receive (copying). @param type  As a Route has it.
  StagedMessage(const Buffer& data, End end, Entry* type) noexcept;

  [[nodiscard]] bool ours() const { return staging_.address() != nullptr; }
  /// True: the packed bytes lie in memory that only Heddle writes.
  [[nodiscard]] bool apart() const { return staging_.apart(); }
  /// It is not ours() for want of memory, although it must be: the receive cannot be made.
  [[nodiscard]] bool lacks_memory() const { return staging_.lacks_memory(); }
  /// What the host unpacks into elements of its type, Heddle can pack again: all bytes of it.
  [[nodiscard]] bool keeps_bytes() const { return type_ && !type_->has_padded_numbers(); }
  /// False: the host refuses to pack a type that Heddle cannot decode.
  [[nodiscard]] bool pack() {
    if (opaque_) return opaque_.pack(data_, staging_.address(), staging_.bytes());
    staging_.pack(Node::here());
    return true;
  }
  /// Puts what a receive brought where it belongs, or brings it if it was announced. `result` is the receive's: a truncated
  /// message has arrived in part. Returns what the program gets; what the host has not raised the caller raises (raise_new).
  int unpack(int result, const Sender& from, MPI_Status* status);

  /// Of the staging buffer.
  [[nodiscard]] Bytes bytes() const { return staging_.bytes(); }
  /// What the host sends or receives.
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
