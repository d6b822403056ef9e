// mpi/calls/send.cpp: the four sends: blocking, non-blocking, persistent.
#include <memory>

#include "entry_points.hpp"
#include "mpi/p2p/persistent.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/requests/completion.hpp"

namespace heddle::mpi {
namespace {

template <Mode mode, class Host, class Integer>
int send(Host host, const void* buf, Integer count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  const Buffer data{buf, count, datatype};
  if (const Route route = route_of_send(data, tag, mode); route.way != Way::passthrough)
    if (const Done done = send(data, route, {dest, tag, comm}, mode)) return *done;
  return host(buf, count, datatype, dest, tag, comm);
}

template <Mode mode, class Host, class Integer>
int isend(Host host, const void* buf, Integer count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request) {
  const Buffer data{buf, count, datatype};
  if (const Route route = route_of_send(data, tag, mode); route.way != Way::passthrough)
    if (const Done done = start_send(data, route, {dest, tag, comm}, mode, request)) return *done;
  return host(buf, count, datatype, dest, tag, comm, request);
}

template <Mode mode, class Host, class Integer>
int send_init(Host host, const void* buf, Integer count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const Buffer data{buf, count, datatype};
  const Envelope to{dest, tag, comm};
  const Route route = route_of_send(data, tag, mode);
  std::unique_ptr<PersistentSend> operation;
  if (route.way != Way::passthrough && to.is_somebody() && request && requests::table.room())
    operation.reset(new (std::nothrow) PersistentSend(data, route, to, mode));
  const int result = host(buf, count, datatype, dest, tag, comm, request);
  if (result == MPI_SUCCESS && operation) requests::track(*request, operation.release());
  return result;
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_Send(send<Mode::standard>) HEDDLE_ENTRY_Bsend(send<Mode::buffered>) HEDDLE_ENTRY_Ssend(send<Mode::synchronous>)
    HEDDLE_ENTRY_Rsend(send<Mode::ready>) HEDDLE_ENTRY_Isend(isend<Mode::standard>) HEDDLE_ENTRY_Ibsend(isend<Mode::buffered>)
        HEDDLE_ENTRY_Issend(isend<Mode::synchronous>) HEDDLE_ENTRY_Irsend(isend<Mode::ready>)
            HEDDLE_ENTRY_Send_init(send_init<Mode::standard>) HEDDLE_ENTRY_Bsend_init(send_init<Mode::buffered>)
                HEDDLE_ENTRY_Ssend_init(send_init<Mode::synchronous>) HEDDLE_ENTRY_Rsend_init(send_init<Mode::ready>)
}
