// mpi/sparse/ways.hpp: the three ways of an exchange, and what they share. Includes lane.hpp, incoming.hpp.
//
//   consensus   synchronous sends, take in whatever comes, a non-blocking barrier says when all is in
//   counts      an all-to-all of counts, then direct messages straight into place
//   crystal     bundles through log2 P rounds (engine/router.hpp)
#pragma once

#include <vector>

#include "mpi/sparse/incoming.hpp"
#include "mpi/sparse/lane.hpp"

namespace heddle::mpi::sparse {

/// One exchange, as one rank sees it.
struct Job {
  Lane& lane;
  const Outgoing& out;
  Incoming& in;
  heddle_arrivals& arrivals;
};

// Return an MPI error code that is not raised yet. They throw std::bad_alloc, and Failed.
int by_consensus(Job& job);
int by_counts(Job& job);
int by_crystal(Job& job);

/// Once all incoming messages are known (those not there yet without an address): receives them, straight into place where
/// that can be, sends all that have at least `least` bytes to others, and puts what has come in place.
int deliver(Job& job, Bytes least);

/// The host has said no.
struct Failed {
  int code;
};
inline void check(int code) {
  if (code != MPI_SUCCESS) throw Failed{code};
}

/// The bytes of a message that travel: where they lie, or packed into memory of the exchange.
const std::byte* bytes_of(const Outgoing::Message& message, Job& job);

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
