// mpi/requests/receive.hpp: receives that are not over when the call returns. Includes pending.hpp, staging/message.hpp.
#pragma once

#include <optional>

#include "mpi/rendezvous/held.hpp"
#include "mpi/requests/pending.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi {

/// Whether a receive of a predefined type must be looked at when it is complete, for it may bring a descriptor
/// (rendezvous.hpp). Other types that may go through a stand-in (must_not_split).
bool must_look(Count count, MPI_Datatype type) noexcept;

/// Into a stand-in that is unpacked at the end.
class ReceivedPacked final : public Pending {
 public:
  ReceivedPacked(const Buffer& data, MPI_Comm comm) noexcept : message(data, Message::End::receiving), comm_(comm) {}

  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  /// It has taken a message that a probe has held: the host has it from ourselves.
  void from(const Origin& origin) noexcept {
    origin_ = origin;
    comm_ = origin.comm;
  }
  void from_host() noexcept { origin_.reset(); }
  /// Receives a matched message into where the next one goes.
  int take(MPI_Message* held, MPI_Request* request) noexcept;

  Message message;

 private:
  MPI_Comm comm_;
  std::optional<Origin> origin_;
};

/// Straight into the program's buffer.
class ReceivedPlain final : public Pending {
 public:
  ReceivedPlain(const Buffer& data, MPI_Comm comm) noexcept
      : data_(data), comm_(comm), looks_(must_look(data.count, data.type)) {}

  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  /// It has taken a message that a probe has held: the host has it from ourselves.
  void from(const Origin& origin) noexcept {
    origin_ = origin;
    comm_ = origin.comm;
  }
  void from_host() noexcept { origin_.reset(); }
  /// Receives a matched message into where the next one goes.
  int take(MPI_Message* held, MPI_Request* request) noexcept;

 private:
  Buffer data_;
  MPI_Comm comm_;
  bool looks_;  ///< It is long enough for a descriptor.
  std::optional<Origin> origin_;
};

struct BegunReceive {
  int result = MPI_SUCCESS;
  MPI_Request request = MPI_REQUEST_NULL;
  Pending* pending = nullptr;  ///< What remains, the caller's; null: nothing but the request.
};

/// Receives on a communicator of Heddle's own, where no probe holds anything.
BegunReceive begin_receive(const Buffer& data, int source, int tag, MPI_Comm comm) noexcept;

}  // namespace heddle::mpi
