// mpi/calls/sendrecv.cpp: MPI_Sendrecv, MPI_Isendrecv and their forms for one buffer.
#include "entry_points.hpp"
#include "mpi/p2p/network_receive.hpp"
#include "mpi/p2p/send_receive.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {
namespace {

/// Both sides as the program made them. @param host  The host's call, to which a status is given.
template <class Host>
int pass_through(const Host& host, const Half& in, MPI_Status* status) {
  if (in.route.way == Way::passthrough || !in.peer.is_somebody()) return Watch::noted(host(status));
  const StatusOf arrived(status);
  const int result = host(arrived.get());
  const int completed =
      in.route.type ? complete_by_handle(result, in.data, arrived.get()) : complete_receive(result, in.data, arrived.get());
  return Watch::noted(raise_new(completed, result, in.peer.comm));
}

template <class Host>
int carry_out(const Host& host, const Half& out, const Half& in, bool in_place, MPI_Status* status) {
  const bool packed = out.route.way != Way::passthrough || in.route.way == Way::packed ||
                      NetworkReceive::possible(in.data, in.route, in.peer.rank, in.peer.comm);
  if (!(packed || ProbeQueue::any()) || in.peer.comm == MPI_COMM_NULL) return pass_through(host, in, status);
  return Watch::noted(send_receive(out, in, in_place, status));
}

template <class Host, class Integer>
int sendrecv(Host host, const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
             Integer recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  Watch::look();
  const Buffer out{sendbuf, sendcount, sendtype};
  const Buffer in{recvbuf, recvcount, recvtype};
  const auto as_made = [&](MPI_Status* arrived) {
    return host(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, arrived);
  };
  return carry_out(as_made, {out, route_of_send(out, sendtag, Mode::standard), {dest, sendtag, comm}},
                   {in, route_of_receive(in), {source, recvtag, comm}}, false, status);
}

template <class Host, class Integer>
int sendrecv_replace(Host host, void* buf, Integer count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,
                     MPI_Comm comm, MPI_Status* status) {
  Watch::look();
  const Buffer data{buf, count, datatype};
  const auto as_made = [&](MPI_Status* arrived) {
    return host(buf, count, datatype, dest, sendtag, source, recvtag, comm, arrived);
  };
  return carry_out(as_made, {data, route_of_send(data, sendtag, Mode::standard), {dest, sendtag, comm}},
                   {data, route_of_receive(data), {source, recvtag, comm}}, true, status);
}

/// Nothing: both sides are the host's, as the program made them.
Done start(const Half& out, const Half& in, bool in_place, MPI_Request* request) {
  if (out.route.way == Way::passthrough && in.route.way == Way::passthrough) {
    Watch::uncertain();  // MPICH 5.0.2 does not report truncation here
    return {};
  }
  return start_send_receive(out, in, in_place, request);
}

template <class Host, class Integer>
int isendrecv(Host host, const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,
              Integer recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
  const Buffer out{sendbuf, sendcount, sendtype};
  const Buffer in{recvbuf, recvcount, recvtype};
  return start({out, route_of_send(out, sendtag, Mode::standard), {dest, sendtag, comm}},
               {in, route_of_receive(in), {source, recvtag, comm}}, false, request)
      .or_call([&] {
        return host(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request);
      });
}

template <class Host, class Integer>
int isendrecv_replace(Host host, void* buf, Integer count, MPI_Datatype datatype, int dest, int sendtag, int source,
                      int recvtag, MPI_Comm comm, MPI_Request* request) {
  const Buffer data{buf, count, datatype};
  return start({data, route_of_send(data, sendtag, Mode::standard), {dest, sendtag, comm}},
               {data, route_of_receive(data), {source, recvtag, comm}}, true, request)
      .or_call([&] { return host(buf, count, datatype, dest, sendtag, source, recvtag, comm, request); });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_Sendrecv(sendrecv) HEDDLE_ENTRY_Sendrecv_replace(sendrecv_replace) HEDDLE_ENTRY_Isendrecv(isendrecv)
    HEDDLE_ENTRY_Isendrecv_replace(isendrecv_replace)
}
