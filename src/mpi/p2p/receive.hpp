// mpi/p2p/receive.hpp: a receive from its route to its end.
//
//   const Expected expected(from);
//   ReceiveOperation operation(data, route, comm);
//   const int result = expected.receive(operation.at_host(), status);   // MPI_Recv
//   return operation.finish(*status, result);                           // what has arrived is in place
//
// The calls of MPI_Recv's and MPI_Irecv's families are below. All of them ask the probe queue
// first.
#pragma once

#include <optional>

#include "mpi/p2p/host_probe.hpp"
#include "mpi/p2p/received_descriptor.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/p2p/staged_message.hpp"
#include "mpi/requests/pending.hpp"

namespace heddle::mpi {

class ReceiveOperation final : public Pending {
 public:
  /// A receive within a call. Its communicator and datatype live until the end of the call.
  ReceiveOperation(const Buffer& data, Route route, MPI_Comm comm) noexcept : data_(data), in_call_(comm) { set(route); }
  /// A receive that goes on after the call that begins it. `comm` is empty for a matched message,
  /// whose communicator is not known.
  /// @param probes  None: the communicator is Heddle's own.
  ReceiveOperation(const Buffer& data, Route route, communicators::Hold comm, Probes probes = Probes::possible) noexcept
      : data_(data), probes_(probes), comm_(std::move(comm)) {
    set(route);
    if (straight_) type_ = Derived::use(*route.type);
  }

  /// There is no memory for the staging buffer that it needs: the receive cannot be made.
  [[nodiscard]] bool lacks_memory() const { return staged_ && staged_->lacks_memory(); }
  /// For a call that receives before it returns. If there is no memory, the message goes into the
  /// program's buffer, provided that Heddle can find a descriptor there. False: the receive cannot
  /// be made.
  [[nodiscard]] bool can_begin();

  /// The receive need not be followed: the host puts the message in place.
  [[nodiscard]] bool passes_through() const { return staged_ && !staged_->ours() && !staged_->lacks_memory(); }

  /// The buffer into which the host receives.
  [[nodiscard]] Buffer at_host() const { return staged_ ? staged_->at_host() : data_; }

  /// A probe has received the message before, and Heddle has sent it to itself. `origin` is its
  /// true origin.
  void from(const Origin& origin) noexcept {
    origin_ = origin;
    comm_ = origin.comm;
  }
  [[nodiscard]] const std::optional<Origin>& origin() const noexcept { return origin_; }
  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  /// Heddle only looks whether the program's buffer has a descriptor. The message of a descriptor
  /// is there soon.
  [[nodiscard]] bool is_brief() const noexcept override { return !staged_ && !straight_ && data_.count <= most_brief; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }
  [[nodiscard]] const void* lands() const noexcept override;

 private:
  static constexpr Count most_brief = (32 << 10) / 8;  ///< Elements, most often of 8 bytes.

  void set(Route route) noexcept {
    straight_ = route.protocol == Protocol::rendezvous && route.type;
    if (route.protocol == Protocol::packed) staged_.emplace(data_, StagedMessage::End::receiving, route.type);
  }
  Buffer data_;
  bool straight_ = false;  ///< It has a derived type and goes into the program's buffer.
  Probes probes_ = Probes::possible;
  Derived type_;  ///< Set if the receive goes on after its call: the handle may be gone before its end.
  MPI_Comm in_call_ = MPI_COMM_NULL;
  communicators::Hold comm_;
  report::Caller caller_ = report::caller();  ///< The caller that has begun it.
  std::optional<Origin> origin_;
  std::optional<StagedMessage> staged_;
};

/// The message that a receive waits for. It is given by its envelope, or a probe has matched it.
class Expected {
 public:
  Expected(const Envelope& from) noexcept : from_(from) {}  // NOLINT(google-explicit-constructor): most receives have one
  /// Takes the message's origin from the probe queue, if it was there.
  explicit Expected(MPI_Message* message) noexcept
      : from_{MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_NULL},
        message_(message),
        origin_(ProbeQueue::of_process().origin(*message)) {}

  [[nodiscard]] bool matched() const noexcept { return message_ != nullptr; }
  /// MPI_COMM_NULL: a matched message, whose communicator is not known.
  [[nodiscard]] MPI_Comm comm() const noexcept { return from_.comm; }
  [[nodiscard]] communicators::Hold hold() const { return matched() ? communicators::Hold() : communicators::Hold(from_.comm); }
  /// A probe has received it before.
  [[nodiscard]] const std::optional<Origin>& origin() const noexcept { return origin_; }
  /// True: the message may come by the fabric.
  [[nodiscard]] bool may_cross(const Buffer& data, Route route) const;

  // Calls of the host:

  Raised receive(const Buffer& into, MPI_Status* status) const;
  /// `request` is MPI_REQUEST_NULL before the call. If the host fails, it stays so.
  Raised post(const Buffer& into, MPI_Request* request) const;

 private:
  Envelope from_;
  MPI_Message* message_ = nullptr;
  std::optional<Origin> origin_;
};

/// Calls `go` for the message of that envelope: a message that a probe holds for it, or the message
/// that the host will find. Returns its result, or else an error, which has been raised.
template <class Go>
auto expect(const Envelope& from, Go go) -> decltype(go(Expected(from))) {
  MPI_Message held = MPI_MESSAGE_NULL;
  if (const Done taken = ProbeQueue::take_for(from, &held)) {
    if (taken == MPI_SUCCESS) return go(Expected(&held));
    return {*taken};
  }
  return go(Expected(from));
}

/// MPI_Recv.
int receive(const Buffer& data, Route route, const Envelope& from, MPI_Status* status);
/// MPI_Mrecv.
int receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Status* status);

/// Begins a receive with a request of the host. The probe queue has been asked before, or need not
/// be. No result: there is no memory.
/// @param memory  For a persistent operation.
/// @param probes  None: the communicator is Heddle's own.
Begun begin_receive(const Buffer& data, Route route, const Expected& expected, const KeptMemory& memory = {},
                    Probes probes = Probes::possible);
/// MPI_Irecv and MPI_Imrecv, for routes that do not pass through. Nothing: the host gets the call
/// as the program made it.
Done start_receive(const Buffer& data, Route route, const Envelope& from, MPI_Request* request);
Done start_receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Request* request);

}  // namespace heddle::mpi
