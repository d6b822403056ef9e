// mpi/sparse/wire.cpp
#include "mpi/sparse/wire.hpp"

namespace heddle::mpi::sparse {
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

}  // namespace heddle::mpi::sparse
