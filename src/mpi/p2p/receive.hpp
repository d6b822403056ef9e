// mpi/p2p/receive.hpp: a receive from its route to its end. Includes route.hpp, rendezvous.hpp, staged_message.hpp, requests/.
//
//   const Expected expected(from);
//   ReceiveOperation operation(data, route, comm);
//   const int result = expected.receive(operation.at_host(), status);   // MPI_Recv
//   return operation.finish(*status, result);                           // what has arrived is in place
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
  /// @param probes  None: the communicator is Heddle's own.
  ReceiveOperation(const Buffer& data, Route route, communicators::Hold comm, Probes probes = Probes::possible) noexcept
      : data_(data), probes_(probes), comm_(std::move(comm)) {
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

  /// What the host receives.
  [[nodiscard]] Buffer at_host() const { return staged_ ? staged_->at_host() : data_; }

  /// The host has it from ourselves: a probe has received it before.
  void from(const Origin& origin) noexcept {
    origin_ = origin;
    comm_ = origin.comm;
  }
  [[nodiscard]] const std::optional<Origin>& origin() const noexcept { return origin_; }
  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  /// Into the program's buffer: a look whether it is a descriptor, of a message that is soon there.
  [[nodiscard]] bool is_brief() const noexcept override { return !staged_ && !straight_ && data_.count <= most_brief; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }
  [[nodiscard]] const void* lands() const noexcept override;

 private:
  static constexpr Count most_brief = (32 << 10) / 8;  ///< Elements, most often of 8 bytes.

  void set(Route route) noexcept {
    straight_ = route.way == Way::rendezvous && route.type;
    if (route.way == Way::packed) staged_.emplace(data_, StagedMessage::End::receiving, route.type);
  }
  Buffer data_;
  bool straight_ = false;  ///< Of a derived type, into the program's buffer.
  Probes probes_ = Probes::possible;
  Derived type_;  ///< Of those beyond the call, whose handle may be gone before their end.
  MPI_Comm in_call_ = MPI_COMM_NULL;
  communicators::Hold comm_;
  report::Caller caller_ = report::caller();  ///< Who has begun it.
  std::optional<Origin> origin_;
  std::optional<StagedMessage> staged_;
};

/// The message that a receive waits for: by its envelope, or one that somebody has matched.
class Expected {
 public:
  Expected(const Envelope& from) noexcept : from_(from) {}  // NOLINT(google-explicit-constructor): most often it is that
  /// Takes what it is from the probe queue, if it has been there.
  explicit Expected(MPI_Message* message) noexcept
      : from_{MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_NULL},
        message_(message),
        origin_(ProbeQueue::of_process().origin(*message)) {}

  [[nodiscard]] bool matched() const noexcept { return message_ != nullptr; }
  /// MPI_COMM_NULL: of a matched message, not known.
  [[nodiscard]] MPI_Comm comm() const noexcept { return from_.comm; }
  [[nodiscard]] communicators::Hold hold() const { return matched() ? communicators::Hold() : communicators::Hold(from_.comm); }
  /// A probe has received it before.
  [[nodiscard]] const std::optional<Origin>& origin() const noexcept { return origin_; }
  /// Whether it may come by the fabric.
  [[nodiscard]] bool may_cross(const Buffer& data, Route route) const;

  // By the host.

  Raised receive(const Buffer& into, MPI_Status* status) const;
  /// The request: MPI_REQUEST_NULL, and so it stays if the host fails.
  Raised post(const Buffer& into, MPI_Request* request) const;

 private:
  Envelope from_;
  MPI_Message* message_ = nullptr;
  std::optional<Origin> origin_;
};

/// What `go` returns for the message of that envelope: one that a probe holds for it, or what the host finds. Else an error,
/// which has been raised.
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

/// By a request of the host's, which has asked the probe queue or need not. No result: there is no memory. `memory`: of a
/// persistent operation. `probes`: none on a communicator of Heddle's own.
Begun begin_receive(const Buffer& data, Route route, const Expected& expected, const KeptMemory& memory = {},
                    Probes probes = Probes::possible);
/// MPI_Irecv and MPI_Imrecv, for routes that do not pass through. Nothing: it is the host's, as the program made it.
Done start_receive(const Buffer& data, Route route, const Envelope& from, MPI_Request* request);
Done start_receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Request* request);

}  // namespace heddle::mpi
