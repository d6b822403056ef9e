// mpi/exchange/wire.cpp
#include "mpi/exchange/wire.hpp"

namespace heddle::mpi::wire {
namespace {

constexpr Bytes piece = Bytes{1} << 30;

}  // namespace

Wire::Wire(Bytes bytes) : count_(bytes <= piece ? static_cast<int>(bytes) : 1) {
  if (bytes <= piece) return;
  int lengths[] = {static_cast<int>(bytes / piece), static_cast<int>(bytes % piece)};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - bytes % piece)};
  MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_BYTE};
  check(PMPI_Type_contiguous(static_cast<int>(piece), MPI_BYTE, &types[0]));
  check(PMPI_Type_create_struct(2, lengths, places, types, &type_));
  check(PMPI_Type_commit(&type_));
  check(PMPI_Type_free(&types[0]));
}

Wire::~Wire() {
  if (type_ != MPI_BYTE) PMPI_Type_free(&type_);
}

void send(const std::byte* at, Bytes bytes, int to, int tag, MPI_Comm comm, Requests& requests) {
  const Wire wire(bytes);
  requests.push_back(MPI_REQUEST_NULL);
  check(PMPI_Isend(at, wire.count(), wire.type(), to, tag, comm, &requests.back()));
}

void send_synchronous(const std::byte* at, Bytes bytes, int to, int tag, MPI_Comm comm, Requests& requests) {
  const Wire wire(bytes);
  requests.push_back(MPI_REQUEST_NULL);
  check(PMPI_Issend(at, wire.count(), wire.type(), to, tag, comm, &requests.back()));
}

void receive(std::byte* at, Bytes bytes, int from, int tag, MPI_Comm comm, Requests& requests) {
  const Wire wire(bytes);
  requests.push_back(MPI_REQUEST_NULL);
  check(PMPI_Irecv(at, wire.count(), wire.type(), from, tag, comm, &requests.back()));
}

void wait_all(Requests& requests) {
  check(PMPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  requests.clear();
}

void Carrier::send(engine::Rank to, std::span<const engine::Piece> pieces) {
  if (pieces.size() == 1)
    wire::send(pieces[0].at, pieces[0].bytes, to, tag_, comm_, requests_);
  else
    gather(to, pieces);
}

engine::Carrier::Ticket Carrier::receive(engine::Rank from, std::byte* at, Bytes room) {
  wire::receive(at, room, from, tag_, comm_, requests_);
  return requests_.size() - 1;
}

void Carrier::wait(Ticket ticket) { check(PMPI_Wait(&requests_[ticket], MPI_STATUS_IGNORE)); }

/// The host collects the pieces itself, on their way into its own buffers.
void Carrier::gather(int to, std::span<const engine::Piece> pieces) {
  lengths_.clear();
  places_.clear();
  for (const engine::Piece& one : pieces) {
    lengths_.push_back(static_cast<int>(one.bytes));  // a message is 1 GiB at most
    places_.push_back(reinterpret_cast<MPI_Aint>(one.at));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  check(PMPI_Type_create_hindexed(static_cast<int>(pieces.size()), lengths_.data(), places_.data(), MPI_BYTE, &type));
  check(PMPI_Type_commit(&type));
  requests_.push_back(MPI_REQUEST_NULL);
  check(PMPI_Isend(MPI_BOTTOM, 1, type, to, tag_, comm_, &requests_.back()));
  check(PMPI_Type_free(&type));
}

}  // namespace heddle::mpi::wire
