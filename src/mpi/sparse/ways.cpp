// mpi/sparse/ways.cpp: what the ways share.
#include "mpi/sparse/ways.hpp"

namespace heddle::mpi::sparse {
namespace {

constexpr Bytes piece = Bytes{1} << 30;

}  // namespace

const std::byte* bytes_of(const Outgoing::Message& message, Job& job) {
  if (message.dense || message.bytes == 0) return message.dense;
  std::byte* packed = job.in.keep(message.bytes);
  check(job.out.pack(message, packed, job.lane.comm()));
  return packed;
}

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

int deliver(Job& job, Bytes least) {
  const Lane& lane = job.lane;
  Incoming& in = job.in;
  const int result = in.lay_out(job.arrivals);
  Requests requests;
  for (std::size_t i = 0; i < in.messages().size(); ++i) {
    Incoming::Message& message = in.messages()[i];
    if (message.bytes == 0 || message.at) continue;
    std::byte* at = in.place_of(job.arrivals, i);
    if (!at) at = in.keep(message.bytes);
    message.at = at;
    receive(at, message.bytes, message.source, Lane::direct_tag, lane.comm(), requests);
  }
  for (const Outgoing::Message& message : job.out.messages())
    if (message.to != lane.me() && message.bytes >= least)
      send(bytes_of(message, job), message.bytes, message.to, Lane::direct_tag, lane.comm(), requests);
  wait_all(requests);
  const int error = in.fill(job.arrivals);
  return error != MPI_SUCCESS ? error : result;
}

}  // namespace heddle::mpi::sparse
