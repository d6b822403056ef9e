// mpi/sparse/wire.hpp: messages of bytes between ranks, of any length. What the host says no to is thrown. Includes
// engine/channel.hpp, host.hpp.
//
//   Requests requests;
//   receive(room, bytes, from, tag, comm, requests);
//   send(at, bytes, to, tag, comm, requests);
//   wait_all(requests);
#pragma once

#include <vector>

#include "engine/channel.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi::sparse {

using engine::Failed;
using layout::Bytes;

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

}  // namespace heddle::mpi::sparse
