// mpi/requests/receive.hpp: receives that are not over when the call returns. Includes pending.hpp, staging/message.hpp.
#pragma once

#include <optional>

#include "mpi/rendezvous/held.hpp"
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/requests/pending.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi {

/// What all receives have in common.
class Received : public Pending {
 public:
  [[nodiscard]] bool ends_by_itself() const noexcept final { return false; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept final { return comm_; }

  /// It has taken a message that a probe has held: the host has it from ourselves.
  void from(const Origin& origin) noexcept {
    origin_ = origin;
    comm_ = origin.comm;
  }
  void from_host() noexcept { origin_.reset(); }

 protected:
  explicit Received(MPI_Comm comm) : comm_(comm) {}
  /// Whether something has arrived that is to be put in place; the status then says where from.
  bool arrived(MPI_Status& status) const noexcept {
    if (record.cancelled && is_cancelled(status)) return false;
    if (origin_) set_origin(&status, *origin_);
    return true;
  }

 private:
  static bool is_cancelled(const MPI_Status& status) noexcept;

  communicators::Hold comm_;  // empty: of a matched message, nobody has told
  std::optional<Origin> origin_;
};

/// Into a stand-in that is unpacked at the end.
class ReceivedPacked final : public Received {
 public:
  ReceivedPacked(const Buffer& data, MPI_Comm comm) : Received(comm), message(data, Message::End::receiving) {}

  int finish(MPI_Status& status, int error) noexcept override {
    return arrived(status) ? message.unpack(error, communicator(), &status) : error;
  }
  /// Receives a matched message into where the next one goes.
  int take(MPI_Message* held, MPI_Request* request);

  Message message;
};

/// Straight into the program's buffer.
class ReceivedPlain final : public Received {
 public:
  /// Number by number: a Buffer in memory would be read in other pieces than it was written.
  ReceivedPlain(void* address, Count count, MPI_Datatype type, MPI_Comm comm) : Received(comm), data_{address, count, type} {}
  ReceivedPlain(const Buffer& data, MPI_Comm comm) : Received(comm), data_(data) {}

  int finish(MPI_Status& status, int error) noexcept override {
    return arrived(status) ? landed(error, data_, &status) : error;
  }
  /// Receives a matched message into where the next one goes.
  int take(MPI_Message* held, MPI_Request* request);

 private:
  Buffer data_;
};

/// Of a derived type, straight into the program's buffer, within a call: its handle lives until then.
class ReceivedInPlace final : public Received {
 public:
  ReceivedInPlace(const Buffer& data, MPI_Comm comm) : Received(comm), data_(data) {}

  int finish(MPI_Status& status, int error) noexcept override {
    return error == MPI_SUCCESS ? look_closer(error, data_, &status) : error;
  }

 private:
  Buffer data_;
};

struct BegunReceive {
  int result = MPI_SUCCESS;
  MPI_Request request = MPI_REQUEST_NULL;
  Pending* pending = nullptr;  ///< What remains, the caller's; null: nothing but the request.
};

/// Receives on a communicator of Heddle's own, where no probe holds anything.
/// @param straight  Where the host unpacks as well as Heddle does: into place, without a stand-in, if the call waits for it.
BegunReceive begin_receive(const Buffer& data, int source, int tag, MPI_Comm comm, bool straight = false);

}  // namespace heddle::mpi
