// mpi/calls/receive.cpp: MPI_Recv and MPI_Mrecv, their non-blocking and persistent forms.
#include <memory>

#include "entry_points.hpp"
#include "mpi/p2p/persistent.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/completion.hpp"

namespace heddle::mpi {
namespace {

template <class Host, class Integer>
int recv(Host host, void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Watch::look();
  const Buffer data{buf, count, datatype};
  const Envelope from{source, tag, comm};
  if (const Route route = route_of_receive(data); route.way != Way::passthrough && from.is_somebody())
    return Watch::noted(receive(data, route, from, status));
  const int result = Watch::noted(host(buf, count, datatype, source, tag, comm, status));
  if (result != MPI_SUCCESS) complete_receive(result, data, status);  // too short for a descriptor, which may have come
  return result;
}

template <class Host, class Integer>
int mrecv(Host host, void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
  const Buffer data{buf, count, datatype};
  if (const Route route = route_of_receive(data); route.way != Way::passthrough || messages_come())
    return Watch::noted(receive_matched(data, route, message, status));
  return Watch::noted(host(buf, count, datatype, message, status));
}

template <class Host, class Integer>
int irecv(Host host, void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
          MPI_Request* request) {
  Watch::look();
  const Buffer data{buf, count, datatype};
  if (const Route route = route_of_receive(data); route.way != Way::passthrough)
    if (const Done done = start_receive(data, route, {source, tag, comm}, request)) return *done;
  return host(buf, count, datatype, source, tag, comm, request);
}

template <class Host, class Integer>
int imrecv(Host host, void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
  const Buffer data{buf, count, datatype};
  if (const Route route = route_of_receive(data); route.way != Way::passthrough)
    if (const Done done = start_receive_matched(data, route, message, request)) return *done;
  return host(buf, count, datatype, message, request);
}

/// Where messages may be a rendezvous every persistent receive is followed: a probe may find its message.
template <class Host, class Integer>
int recv_init(Host host, void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Buffer data{buf, count, datatype};
  const Envelope from{source, tag, comm};
  Route route = route_of_receive(data);
  if (route.way == Way::passthrough && messages_come()) route.way = Way::rendezvous;
  if (route.way == Way::passthrough || !from.is_somebody() || !request)
    return host(buf, count, datatype, source, tag, comm, request);
  std::unique_ptr<PersistentReceive> operation(requests::table.room() ? new (std::nothrow) PersistentReceive(data, route, from)
                                                                      : nullptr);
  if (!operation || operation->operation.lacks_memory())
    return messages_come() ? requests::no_memory() : host(buf, count, datatype, source, tag, comm, request);
  const Buffer into = operation->operation.at_host();
  const int result = HEDDLE_CALL_HOST(!fits(into.count), Recv_init, const_cast<void*>(into.address), Number{into.count},
                                      into.type, source, tag, comm, request)
                         .value_or(MPI_ERR_COUNT);
  if (result == MPI_SUCCESS) requests::track(*request, operation.release());
  return result;
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_Recv(recv) HEDDLE_ENTRY_Mrecv(mrecv) HEDDLE_ENTRY_Irecv(irecv) HEDDLE_ENTRY_Imrecv(imrecv)
    HEDDLE_ENTRY_Recv_init(recv_init)
}
