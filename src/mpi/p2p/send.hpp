// mpi/p2p/send.hpp: a send from its route to its end.
//
//   const Begun begun = begin_send(data, route, held(data, route), to, mode, Ends::with_request);
//   if (begun.under_way()) requests::track(begun.request, begun.pending);
//
// The calls of MPI_Send's and MPI_Isend's families are below.
#pragma once

#include <variant>

#include "engine/node/rendezvous.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/p2p/staged_message.hpp"
#include "mpi/requests/pending.hpp"

namespace heddle::mpi {

using engine::Ends;
using engine::Probes;

/// Calls the host's non-blocking procedure of that mode.
Raised host_isend(Mode mode, const Buffer& data, const Envelope& to, MPI_Request* request);

class SendOperation final : public Pending {
 public:
  /// @param type  Holds the datatype of `data`, whose handle may be gone before the end.
  SendOperation(const Buffer& data, Route route, Derived type, const Envelope& to, Mode mode, Ends ends,
                Probes probes = Probes::possible) noexcept
      : data_(data), route_(route), type_(std::move(type)), to_(to), mode_(mode), ends_(ends), probes_(probes) {}
  /// The send buffer is the receive buffer, too. If the message is no rendezvous, it goes from a
  /// copy, at any cost.
  void from_copy() noexcept { from_copy_ = true; }

  // These return nothing if the message is not for Heddle. Then nothing has been sent.

  /// Sends the message from begin to end.
  Done in_call();
  /// @param request  Null: uses a call of the host that blocks. Otherwise it is MPI_REQUEST_NULL,
  /// and stays so if the host fails.
  Done begin(MPI_Request* request);
  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool is_send() const noexcept override { return true; }
  /// There is no memory for the copy.
  [[nodiscard]] bool lacks_memory() const noexcept {
    const auto* const staged = std::get_if<StagedMessage>(&message_);
    return staged && staged->lacks_memory();
  }

 private:
  Done begin_rendezvous(MPI_Request* request);
  Done begin_packed(MPI_Request* request);

  Buffer data_;
  Route route_;
  Derived type_;
  Envelope to_;
  Mode mode_;
  Ends ends_;
  Probes probes_;
  bool from_copy_ = false;
  bool synchronous_ = false;  ///< The request is complete when the receiver has the program's descriptor.
  std::variant<std::monostate, engine::Rendezvous, StagedMessage> message_;
};

/// An operation that has begun, or has failed to begin.
struct Begun {
  Done result;                             ///< Nothing: not for Heddle, nothing is under way, and nothing has been raised.
  MPI_Request request = MPI_REQUEST_NULL;  ///< If it is under way.
  Pending* pending = nullptr;              ///< The rest of the work, which the caller owns. Null: there is only the request.
  bool lacks_memory = false;               ///< No result because there is no memory. The caller raises the error.

  /// False: the host has failed. If it hides errors (communicators::hides_errors()), only the
  /// missing request tells.
  [[nodiscard]] bool under_way() const noexcept { return result == MPI_SUCCESS && request != MPI_REQUEST_NULL; }
};

/// @param memory  For a persistent operation.
Begun begin_send(const Buffer& data, Route route, Derived type, const Envelope& to, Mode mode, Ends ends,
                 Probes probes = Probes::possible, const KeptMemory& memory = {});

/// MPI_Send in any mode, for routes that do not pass through. Nothing: the host gets the call as
/// the program made it.
Done send(const Buffer& data, Route route, const Envelope& to, Mode mode);
/// MPI_Isend in any mode, as above.
Done start_send(const Buffer& data, Route route, const Envelope& to, Mode mode, MPI_Request* request);

/// Holds the datatype of a send as long as the send lasts. Empty: Heddle leaves it to the host.
inline Derived held(const Buffer& data, Route route) noexcept {
  if (route.protocol == Protocol::passthrough) return {};
  return route.type ? Derived::use(*route.type) : Derived(hold_any(data.type));
}

}  // namespace heddle::mpi
