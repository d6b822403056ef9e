// mpi/staging/message.hpp: one end of a point-to-point message that travels packed. Includes registry.hpp, pool.hpp.
//
// Which end packs is that end's own business: the bytes that travel are the same either way. Packed bytes go as elements of
// the signature's basic type where it has one, which keeps counts small; a pair type goes as bytes.
#pragma once

#include "layout/pack.hpp"
#include "mpi/face.hpp"
#include "mpi/memory/pool.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class Message {
 public:
  /// Not ours() unless packing pays and there is memory for it.
  explicit Message(const Buffer& data) noexcept : data_(data), type_(data.type) {
    if (!type_ || !type_->pays_to_pack(data.count)) return;
    const Bytes bytes = data.count * type_->size();
    const Wire& wire = type_->wire();
    const bool elements = !wire.pair;
    element_ = elements ? wire.element : MPI_BYTE;
    count_ = elements ? data.count * wire.per : bytes;
    bytes_ = bytes;
    ours_ = packed_.reserve(bytes);
  }

  [[nodiscard]] bool ours() const { return ours_; }
  void pack() { layout::pack(type_->layout(), data_.count, data_.address, packed_.data()); }
  /// Puts what a receive brought where it belongs. `result` is the receive's: a truncated message has arrived in part.
  void unpack(int result, const MPI_Status* status);

  [[nodiscard]] void* address() const { return ours_ ? packed_.data() : const_cast<void*>(data_.address); }
  [[nodiscard]] Number count() const { return {ours_ ? count_ : data_.count}; }
  [[nodiscard]] MPI_Datatype type() const { return ours_ ? element_ : data_.type; }
  [[nodiscard]] bool wide() const { return !fits(count().value); }

 private:
  Buffer data_;
  Derived type_;
  MPI_Datatype element_{};
  Count count_ = 0;
  Bytes bytes_ = 0;
  bool ours_ = false;
  Bounce packed_;
};

/// The program's status, or one of our own where it wants none: what arrived must be known.
class StatusOf {
 public:
  explicit StatusOf(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) {}
  [[nodiscard]] MPI_Status* get() const { return status_; }

 private:
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace heddle::mpi
