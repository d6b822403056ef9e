// mpi/requests/receive.hpp: receives that are not over when the call returns. Includes pending.hpp, staging/message.hpp.
#pragma once

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

  Message message;

 private:
  MPI_Comm comm_;
};

/// Straight into the program's buffer.
class ReceivedPlain final : public Pending {
 public:
  ReceivedPlain(const Buffer& data, MPI_Comm comm) noexcept : data_(data), comm_(comm) {}

  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }

 private:
  Buffer data_;
  MPI_Comm comm_;
};

}  // namespace heddle::mpi
