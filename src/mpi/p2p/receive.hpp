// mpi/p2p/receive.hpp: a receive from its route to its end. Includes route.hpp, rendezvous.hpp, staged_message.hpp, requests/.
//
//   ReceiveOperation receive(data, route);
//   const int result = PMPI_Recv(receive.address(), receive.count(), receive.type(), ..., status);
//   return receive.finish(*status, result);                        // what has arrived is in place
//
// The calls of MPI_Recv's and MPI_Irecv's families are below. All of them ask the probe queue first.
#pragma once

#include <optional>

#include "mpi/p2p/probe_queue.hpp"
#include "mpi/p2p/rendezvous.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/p2p/staged_message.hpp"
#include "mpi/requests/pending.hpp"

namespace heddle::mpi {

class ReceiveOperation final : public Pending {
 public:
  /// Within a call, whose communicator and datatype live until its end.
  ReceiveOperation(const Buffer& data, Route route, MPI_Comm comm) noexcept : data_(data), in_call_(comm) { set(route); }
  /// Beyond the call that begins it. `comm` empty: of a matched message, whose communicator is not known.
  ReceiveOperation(const Buffer& data, Route route, communicators::Hold comm) noexcept : data_(data), comm_(std::move(comm)) {
    set(route);
    if (straight_) type_ = Derived::use(*route.type);
  }

  /// There is no memory for what it must go through: the receive cannot be made.
  [[nodiscard]] bool lacks_memory() const { return staged_ && staged_->lacks_memory(); }
  /// Of a call that receives before it returns: without memory it goes into the program's buffer, if Heddle can find in there
  /// what a descriptor needs. False: it cannot be made.
  [[nodiscard]] bool can_begin();

  /// It need not be followed: what arrives is the host's to put in place.
  [[nodiscard]] bool passes_through() const { return staged_ && !staged_->ours() && !staged_->lacks_memory(); }

  // What the host receives.
  [[nodiscard]] void* address() const { return staged() ? staged_->address() : const_cast<void*>(data_.address); }
  [[nodiscard]] Number count() const { return staged() ? staged_->count() : Number{data_.count}; }
  [[nodiscard]] MPI_Datatype type() const { return staged() ? staged_->type() : data_.type; }
  [[nodiscard]] bool wide() const { return !fits(count().value); }

  /// The host has it from ourselves: a probe has received it before.
  void from(const Origin& origin) noexcept {
    origin_ = origin;
    comm_ = origin.comm;
  }
  void from_host() noexcept { origin_.reset(); }
  [[nodiscard]] const std::optional<Origin>& origin() const noexcept { return origin_; }
  /// Receives a matched message into where the next one goes. Returns MPI's error code.
  int take(MPI_Message* message, MPI_Request* request) const;

  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  /// Into the program's buffer: a look whether it is a descriptor, of a message that is soon there.
  [[nodiscard]] bool is_brief() const noexcept override { return !staged_ && !straight_ && data_.count <= most_brief; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }

 private:
  static constexpr Count most_brief = (32 << 10) / 8;  ///< Elements, most often of 8 bytes.

  void set(Route route) noexcept {
    straight_ = route.way == Way::rendezvous && route.type;
    if (route.way == Way::packed) staged_.emplace(data_, StagedMessage::End::receiving, route.type);
  }
  [[nodiscard]] bool staged() const { return staged_ && staged_->ours(); }

  Buffer data_;
  bool straight_ = false;  ///< Of a derived type, into the program's buffer.
  Derived type_;           ///< Of those beyond the call, whose handle may be gone before their end.
  MPI_Comm in_call_ = MPI_COMM_NULL;
  communicators::Hold comm_;
  report::Caller caller_ = report::caller();  ///< Who has begun it.
  std::optional<Origin> origin_;
  std::optional<StagedMessage> staged_;
};

/// MPI_Recv.
int receive(const Buffer& data, Route route, const Envelope& from, MPI_Status* status);
/// MPI_Mrecv.
int receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Status* status);

/// By a request of the host's, which has asked the probe queue or need not. result: MPI_ERR_NO_MEM is not raised. `memory`: of
/// a persistent operation.
Begun begin_receive(const Buffer& data, Route route, const Envelope& from, const KeptMemory& memory = {});
/// Of a message that somebody has matched.
Begun begin_receive_matched(const Buffer& data, Route route, MPI_Message* message, const KeptMemory& memory = {});
/// MPI_Irecv and MPI_Imrecv, for routes that do not pass through. Nothing: it is the host's, as the program made it.
Done start_receive(const Buffer& data, Route route, const Envelope& from, MPI_Request* request);
Done start_receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Request* request);

}  // namespace heddle::mpi
