// mpi/p2p/send.hpp: a send from its route to its end. Includes route.hpp, staged_message.hpp, engine/rendezvous.hpp, requests/.
//
//   const Begun begun = begin_send(data, route, held(data, route), to, mode, Ends::with_request);
//   if (begun.under_way()) requests::track(begun.request, begun.pending);
//
// The calls of MPI_Send's and MPI_Isend's families are below.
#pragma once

#include <variant>

#include "engine/rendezvous.hpp"
#include "mpi/network/network.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/p2p/staged_message.hpp"
#include "mpi/requests/pending.hpp"

namespace heddle::mpi {

using engine::Ends;
using engine::Probes;

class SendOperation final : public Pending {
 public:
  /// What the caller says of the message. @param type  Holds what data.type means: the handle may be gone before the end.
  SendOperation(const Buffer& data, Route route, Derived type, const Envelope& to, Mode mode, Ends ends,
                Probes probes = Probes::possible) noexcept
      : data_(data), route_(route), type_(std::move(type)), to_(to), mode_(mode), ends_(ends), probes_(probes) {}
  /// What is sent lies where something is to be received: if it is not a rendezvous, it goes from a copy, whatever that costs.
  void from_copy() noexcept { from_copy_ = true; }

  // Nothing: it is not for Heddle, and nothing has been sent.

  /// From begin to end.
  Done in_call();
  /// @param request  Null: by a call of the host's that blocks. Else it is MPI_REQUEST_NULL, also afterwards if the host fails.
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
  bool synchronous_ = false;  ///< The request is complete when a descriptor of the program's is received.
  std::variant<std::monostate, engine::Rendezvous, StagedMessage> message_;
};

/// An operation that has begun, or has not.
struct Begun {
  Done result;                             ///< Nothing: not for Heddle, nothing is under way, and nothing has been raised.
  MPI_Request request = MPI_REQUEST_NULL;  ///< If it is under way.
  Pending* pending = nullptr;              ///< What remains to be done, the caller's; null: nothing but the request.
  bool lacks_memory = false;               ///< No result, but not the host's: for want of memory. To be raised.

  /// False: the host has failed. If it hides errors (communicators::hides_errors()), only the missing request tells.
  [[nodiscard]] bool under_way() const noexcept { return result == MPI_SUCCESS && request != MPI_REQUEST_NULL; }
};

/// `memory`: of a persistent operation.
Begun begin_send(const Buffer& data, Route route, Derived type, const Envelope& to, Mode mode, Ends ends,
                 Probes probes = Probes::possible, const KeptMemory& memory = {});

/// MPI_Send and the like, by routes that do not pass through. Nothing: it is the host's, as the program made it.
Done send(const Buffer& data, Route route, const Envelope& to, Mode mode);
/// MPI_Isend and the like, likewise.
Done start_send(const Buffer& data, Route route, const Envelope& to, Mode mode, MPI_Request* request);

/// The datatype of a send by its route: held for as long as the send lasts. Empty: Heddle leaves it to the host.
inline Derived held(const Buffer& data, Route route) noexcept {
  if (route.way == Way::passthrough) return {};
  return route.type ? Derived::use(*route.type) : Derived(hold_any(data.type));
}

}  // namespace heddle::mpi
