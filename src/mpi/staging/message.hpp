// mpi/staging/message.hpp: one end of a point-to-point message that travels packed. Includes registry.hpp, pool.hpp.
//
// Which end packs is that end's own business: the bytes that travel are the same either way. Packed bytes go as elements of
// the signature's basic type where it has one, which keeps counts small; a pair type goes as bytes.
#pragma once

#include <utility>

#include "layout/pack.hpp"
#include "mpi/face.hpp"
#include "mpi/memory/pool.hpp"
#include "mpi/staging/opaque.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class Message {
 public:
  enum class End { sending, copying, receiving };

  /// Not ours() unless packing pays and there is memory for it. A receive that may bring a descriptor is always ours(), also of
  /// a type that Heddle cannot decode, and so is a send that leaves its buffer to a receive (copying), if Heddle knows the
  /// type.
  explicit Message(const Buffer& data, End end = End::sending) noexcept;
  /// To be sent; `type` holds what data.type means: the handle itself may be gone.
  Message(const Buffer& data, Derived type) noexcept : data_(data), type_(std::move(type)) { prepare(false, false); }

  [[nodiscard]] bool ours() const { return address_ != nullptr; }
  /// It is not ours() for want of memory, although it must be: the receive cannot be made.
  [[nodiscard]] bool lacks_memory() const { return lacks_memory_; }
  /// Nor could the host's own receive be looked at afterwards: the type is not decoded.
  [[nodiscard]] bool unseen() const { return lacks_memory_ && !type_; }
  void pack();
  /// Puts what a receive brought where it belongs, or brings it if it was announced. `result` is the receive's: a truncated
  /// message has arrived in part. Returns what the program gets; what the host has not raised the caller raises (raise_new).
  /// @param comm  By which the sender is known. Empty, MPI_COMM_NULL: a matched message, whose communicator nobody has told.
  int unpack(int result, MPI_Comm comm, MPI_Status* status);
  int unpack(int result, const communicators::Hold& comm, MPI_Status* status);
  /// A receive's stand-in as the program's buffer is now: for hosts that do not say how much of it arrives.
  void preload() {
    if (opaque_ && address_)
      opaque_.pack(data_, packed_.data(), bytes_);
    else if (address_ && address_ == packed_.data())
      layout::pack(type_->layout(), data_.count, data_.address, packed_.data());
  }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

  [[nodiscard]] void* address() const { return ours() ? address_ : const_cast<void*>(data_.address); }
  [[nodiscard]] Number count() const { return {ours() ? count_ : data_.count}; }
  [[nodiscard]] MPI_Datatype type() const { return ours() ? element_ : data_.type; }
  [[nodiscard]] bool wide() const { return !fits(count().value); }

 private:
  template <class Comm>
  int unpack_from(int result, const Comm& comm, MPI_Status* status);
  /// @param copies  Whatever it costs. @param lands  It may bring a descriptor.
  void prepare(bool copies, bool lands) noexcept;
  void prepare_opaque() noexcept;
  int unpack_opaque(int result, MPI_Status* status);

  Buffer data_;
  Derived type_;
  Opaque opaque_;
  bool lacks_memory_ = false;
  MPI_Datatype element_{};
  Count count_ = 0;
  Bytes bytes_ = 0;
  void* address_ = nullptr;  ///< Packed bytes: the stand-in, or the program's buffer if it has no holes.
  Bounce packed_;
};

/// The program's status, or one of our own where it wants none: what arrived must be known. Around calls that complete a
/// receive, until what has arrived has been looked at.
class StatusOf {
 public:
  explicit StatusOf(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) { count(1); }
  StatusOf(const StatusOf&) = delete;
  StatusOf& operator=(const StatusOf&) = delete;
  ~StatusOf() { count(-1); }
  [[nodiscard]] MPI_Status* get() const { return status_; }

  /// Whether this thread, which is the only one in MPI, is in such a call: the host may have called back.
  static bool in_use() noexcept { return count_.load(std::memory_order_relaxed) != 0; }

 private:
  /// Threads may lose a count: with several nobody asks.
  static void count(int by) noexcept { count_.store(count_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed); }
  static inline constinit std::atomic<int> count_{0};
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace heddle::mpi
