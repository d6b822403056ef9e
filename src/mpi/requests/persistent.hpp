// mpi/requests/persistent.hpp: persistent messages. Includes send.hpp, receive.hpp.
//
// The program's handle is a persistent request of the host. A send's was made with the program's own arguments; what MPI_Start
// starts is an operation of Heddle's with a request of its own, which the completion calls ask about instead. A receive's was
// made with the stand-in, which stays with the request, and is started itself.
#pragma once

#include <optional>

#include "mpi/requests/receive.hpp"
#include "mpi/requests/send.hpp"

namespace heddle::mpi {

class PersistentSend final : public Persistent {
 public:
  PersistentSend(Mode mode, const Buffer& data, int dest, int tag, MPI_Comm comm)
      : mode_(mode), data_(data), type_(data.type), dest_(dest), tag_(tag), comm_(comm) {}
  ~PersistentSend() override { delete operation_; }

  int start() override;
  int finish(MPI_Status& status, int error) noexcept override;

 private:
  Mode mode_;
  Buffer data_;
  Derived type_;
  int dest_;
  int tag_;
  communicators::Hold comm_;
  Pending* operation_ = nullptr;
};

/// Of the class of the operation: ReceivedPacked or ReceivedPlain.
template <class Received>
class PersistentReceive final : public Persistent {
 public:
  PersistentReceive(const Buffer& data, int source, int tag, MPI_Comm comm)
      : received(data, comm), comm_(comm), source_(source), tag_(tag) {}

  int start() override {
    int error = MPI_SUCCESS;
    MPI_Message held = MPI_MESSAGE_NULL;
    if (const Done taken = Held::any() ? Held::of_process().take(source_, tag_, comm_, &held) : Done{}) {
      if (*taken != MPI_SUCCESS) return *taken;
      if (const std::optional<Origin> origin = Held::of_process().origin(held)) received.from(*origin);
      error = received.take(&held, &record.inner);
      record.substituted = error == MPI_SUCCESS;
    } else {
      received.from_host();
      error = PMPI_Start(&record.handle);
    }
    record.active = error == MPI_SUCCESS;
    return error;
  }
  int finish(MPI_Status& status, int error) noexcept override {
    received.record.cancelled = record.cancelled;
    return received.finish(status, error);
  }
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return received.communicator(); }

  Received received;

 private:
  communicators::Hold comm_;  // that of `received` is the last message's
  int source_;
  int tag_;
};

}  // namespace heddle::mpi
