// mpi/requests/send.hpp: what MPI_Isend and MPI_Start of a persistent send have in common. Includes pending.hpp,
// message.hpp, rendezvous.hpp.
#pragma once

#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/requests/pending.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi {

/// A send whose packed data must live until the host is done with it.
class SentPacked final : public Pending {
 public:
  SentPacked(const Buffer& data, Derived type) noexcept : message(data, std::move(type)) {}
  int finish(MPI_Status& /*status*/, int error) noexcept override { return error; }

  Message message;
};

/// A message whose announcement the host has not delivered yet, or that is left open to its receiver.
class SentAnnounced final : public Pending {
 public:
  SentAnnounced(const Buffer& data, Derived type, int dest, int tag, MPI_Comm comm, Until until)
      : message(data, std::move(type), dest, tag, comm, until == Until::call_ends ? Sender::exchanges : Sender::goes_on) {}
  int finish(MPI_Status& status, int error) noexcept override;

  Announced message;
  bool synchronous = false;  ///< The request is complete when the announcement is received.
};

struct BegunSend {
  Done result;                             ///< Nothing: not for Heddle, nothing has been sent.
  MPI_Request request = MPI_REQUEST_NULL;  ///< If result is MPI_SUCCESS.
  Pending* pending = nullptr;              ///< What remains, the caller's; null: nothing but the request.
};

/// Whether a probe of the program may come across it: not on communicators of Heddle's own.
enum class Probes { possible, none };

/// Sends by a request of the host's. `type` holds the entry of data.type, whose handle may be gone.
BegunSend begin_send(Mode mode, const Buffer& data, Derived type, int dest, int tag, MPI_Comm comm,
                     Until until = Until::request_completes, Probes probes = Probes::possible);

}  // namespace heddle::mpi
