// mpi/exchange/wire.hpp: messages of bytes between ranks, of any length, and engine::Carrier made of them. What the host says
// no to is thrown. Includes host.hpp, engine/router.hpp.
//
//   wire::Requests requests;
//   wire::receive(room, bytes, from, tag, comm, requests);
//   wire::send(at, bytes, to, tag, comm, requests);
//   wire::wait_all(requests);
#pragma once

#include <vector>

#include "engine/router.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi::wire {

using layout::Bytes;

/// The host has said no.
struct Failed {
  int code;
};
inline void check(int code) {
  if (code != MPI_SUCCESS) throw Failed{code};
}

/// `bytes` bytes as MPI counts them: beyond 1 GiB as one element of a type of its own.
class Wire {
 public:
  explicit Wire(Bytes bytes);
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  int count_;
  MPI_Datatype type_ = MPI_BYTE;
};

// Each begins a message; its request joins the others. `at` stays as it is until it is over.
using Requests = std::vector<MPI_Request>;
void send(const std::byte* at, Bytes bytes, int to, int tag, MPI_Comm comm, Requests& requests);
void send_synchronous(const std::byte* at, Bytes bytes, int to, int tag, MPI_Comm comm, Requests& requests);
void receive(std::byte* at, Bytes bytes, int from, int tag, MPI_Comm comm, Requests& requests);
void wait_all(Requests& requests);

/// The messages of bundles.
class Carrier final : public engine::Carrier {
 public:
  Carrier(MPI_Comm comm, int tag) : comm_(comm), tag_(tag) {}

  void send(engine::Rank to, std::span<const engine::Piece> pieces) override;
  Ticket receive(engine::Rank from, std::byte* at, Bytes room) override;
  void wait(Ticket ticket) override;
  void settle() override { wait_all(requests_); }

 private:
  void gather(int to, std::span<const engine::Piece> pieces);

  MPI_Comm comm_;
  int tag_;
  Requests requests_;
  std::vector<int> lengths_;
  std::vector<MPI_Aint> places_;
};

}  // namespace heddle::mpi::wire
