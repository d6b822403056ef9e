// mpi/calls/receive.cpp: MPI_Recv and MPI_Mrecv, their non-blocking and persistent forms.
#include <memory>

#include "entry_points.hpp"
#include "mpi/communicators/for_host.hpp"
#include "mpi/p2p/landing.hpp"
#include "mpi/p2p/persistent.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/receive_in_place.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/completion.hpp"

namespace heddle::mpi {
namespace {

int recv(auto host, const Buffer& data, const Envelope& from, MPI_Status* status) {
  const Destination found = blocking_destination(data, from);
  if (found == Destination::buffer) return Watch::noted(receive_in_place(host, data, from, status));
  if (found == Destination::unknown) {
    Watch::look();
    if (const Route route = route_of_receive(data); route.protocol != Protocol::passthrough && from.is_somebody())
      return Watch::noted(receive(data, route, from, status));
  }
  const int result = Watch::noted(host(status));
  if (result != MPI_SUCCESS)
    complete_receive(result, data, Sender(from.comm), status);  // a descriptor may have come, for which it was too short
  return result;
}

int mrecv(auto host, const Buffer& data, MPI_Message* message, MPI_Status* status) {
  if (const Route route = route_of_receive(data); route.protocol != Protocol::passthrough || messages_come())
    return Watch::noted(receive_matched(data, route, message, status));
  return Watch::noted(host(status));
}

// In these, the arguments stay in the registers in which MPI_Irecv has got them, so that a short
// receive passes with few instructions.

[[gnu::noinline]] int irecv_by_route(const void* address, Count count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                                     MPI_Request* request) {
  const Buffer data{address, count, type};
  const Envelope from{rank, tag, comm};
  Watch::look();
  const Route route = route_of_receive(data);
  if (route.protocol == Protocol::rendezvous)
    if (const Done done = start_landing(data, route.type, from, request)) return *done;
  if (route.protocol != Protocol::passthrough)
    if (const Done done = start_receive(data, route, from, request)) return *done;
  return HEDDLE_MESSAGE_BY_HOST(Irecv, data, comm, rank, tag, comm, request);
}

[[gnu::noinline, gnu::hot]] int irecv_landing(const void* address, Count count, MPI_Datatype type, int rank, int tag,
                                              MPI_Comm comm, MPI_Request* request) {
  if (const Done done = start_landing({address, count, type}, nullptr, {rank, tag, comm}, request)) return *done;
  return irecv_by_route(address, count, type, rank, tag, comm, request);
}

[[gnu::noinline, gnu::hot]] int irecv_with_holes(const void* address, Count count, MPI_Datatype type, int rank, int tag,
                                                 MPI_Comm comm, MPI_Request* request) {
  if (const Entry* const derived = landed(address, count, type))
    if (const Done done = start_landing({address, count, type}, derived, {rank, tag, comm}, request)) return *done;
  return irecv_by_route(address, count, type, rank, tag, comm, request);
}

/// Most often a short receive.
[[gnu::noinline, gnu::hot]] int irecv_of_host(const void* address, Count count, MPI_Datatype type, int rank, int tag,
                                              MPI_Comm comm, MPI_Request* request) {
  if (!fits(count)) return irecv_by_route(address, count, type, rank, tag, comm, request);
  return PMPI_Irecv(const_cast<void*>(address), static_cast<int>(count), type, rank, tag, comm, request);
}

[[gnu::always_inline]] inline int irecv(auto /*host*/, const Buffer& data, const Envelope& from, MPI_Request* request) {
  const Destination found = destination(data.address, data.count, data.type);
  const auto way = Watch::sees()                  ? irecv_by_route
                   : found == Destination::buffer ? irecv_landing
                   : found == Destination::host   ? irecv_of_host
                                                  : irecv_with_holes;
  return way(data.address, data.count, data.type, from.rank, from.tag, from.comm, request);
}

int imrecv(auto host, const Buffer& data, MPI_Message* message, MPI_Request* request) {
  if (const Route route = route_of_receive(data); route.protocol != Protocol::passthrough)
    if (const Done done = start_receive_matched(data, route, message, request)) return *done;
  return host();
}

/// If messages may be a rendezvous, every persistent receive is followed: a probe may find its
/// message.
int recv_init(auto host, const Buffer& data, const Envelope& from, MPI_Request* request) {
  const Derived kept(data.type);  // a long list, too, is decoded now: the request keeps this route
  Route route = route_of_receive(data);
  if (route.protocol == Protocol::passthrough && messages_come()) route.protocol = Protocol::rendezvous;
  if (route.protocol == Protocol::passthrough || !from.is_somebody() || !request) return host();
  std::unique_ptr<PersistentReceive> operation(requests::table.room() ? new (std::nothrow) PersistentReceive(data, route, from)
                                                                      : nullptr);
  if (!operation || operation->operation.lacks_memory())
    return messages_come() ? int{raise_new(MPI_ERR_NO_MEM, from.comm)} : host();
  const Buffer at = operation->operation.at_host();
  MPI_Request made = MPI_REQUEST_NULL;
  const Raised result = HEDDLE_MESSAGE_BY_HOST(Recv_init, at, from.comm, from.rank, from.tag, from.comm, &made);
  if (result != MPI_SUCCESS || made == MPI_REQUEST_NULL) return result;
  *request = made;
  requests::track(made, operation.release());
  return result;
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
[[gnu::hot]] decltype(MPI_Irecv) MPI_Irecv;
HEDDLE_MESSAGE_Recv(recv) HEDDLE_MESSAGE_Mrecv(mrecv) HEDDLE_MESSAGE_Irecv(irecv) HEDDLE_MESSAGE_Imrecv(imrecv)
    HEDDLE_MESSAGE_Recv_init(recv_init)
}
