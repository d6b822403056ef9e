// mpi/calls/send.cpp: the four modes of a send, in blocking, non-blocking and persistent form.
#include <memory>
#include <utility>

#include "entry_points.hpp"
#include "mpi/p2p/persistent.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {
namespace {

template <Mode mode>
constexpr auto host_procedure = mode == Mode::standard      ? PMPI_Isend
                                : mode == Mode::buffered    ? PMPI_Ibsend
                                : mode == Mode::synchronous ? PMPI_Issend
                                                            : PMPI_Irsend;

// In these, the arguments stay in the registers in which MPI_Isend has got them, so that a message
// of the host passes with few instructions.

/// MPI_Isend for a message that may be Heddle's.
template <Mode mode>
[[gnu::noinline]] int isend_by_route(const void* address, Count count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
                                     MPI_Request* request) {
  const Buffer data{address, count, type};
  const Envelope to{rank, tag, comm};
  if (const Route route = route_of_send(data, tag, mode); route.protocol != Protocol::passthrough)
    if (const Done done = start_send(data, route, to, mode, request)) return *done;
  return host_isend(mode, data, to, request);
}

template <Mode mode>
[[gnu::noinline, gnu::hot]] int isend_with_holes(const void* address, Count count, MPI_Datatype type, int rank, int tag,
                                                 MPI_Comm comm, MPI_Request* request) {
  if ((is_hosts_with_holes(address, count, type) ||
       (address && was_left_to_host(table.find(type), count, {rank, tag, comm}))) &&
      fits(count))
    return host_procedure<mode>(address, static_cast<int>(count), type, rank, tag, comm, request);
  return isend_by_route<mode>(address, count, type, rank, tag, comm, request);
}

template <Mode mode>
int send(auto host, const Buffer& data, const Envelope& to) {
  if (is_hosts(data.address, data.count, data.type) || is_hosts_with_holes(data.address, data.count, data.type))
    return requests::after_progress(host());
  if (const Route route = route_of_send(data, to.tag, mode); route.protocol != Protocol::passthrough)
    if (const Done done = send(data, route, to, mode)) return requests::after_progress(*done);
  return requests::after_progress(host());
}

template <Mode mode>
[[gnu::always_inline]] inline int isend(auto host, const Buffer& data, const Envelope& to, MPI_Request* request) {
  if (is_hosts(data.address, data.count, data.type)) return host();
  return isend_with_holes<mode>(data.address, data.count, data.type, to.rank, to.tag, to.comm, request);
}

template <Mode mode>
int send_init(auto host, const Buffer& data, const Envelope& to, MPI_Request* request) {
  const Derived kept(data.type);  // a long list, too, is decoded now: the host would keep the request
  const Route route = route_of_send(data, to.tag, mode);
  std::unique_ptr<PersistentSend> operation;
  if (route.protocol != Protocol::passthrough && to.is_somebody() && request && requests::table.room())
    operation.reset(new (std::nothrow) PersistentSend(data, route, to, mode));
  if (!operation) return host();
  const MPI_Request before = std::exchange(*request, MPI_REQUEST_NULL);
  const int result = host();
  if (*request == MPI_REQUEST_NULL)  // the host has failed
    *request = before;
  else if (result == MPI_SUCCESS)
    requests::track(*request, operation.release());
  return result;
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
[[gnu::hot]] decltype(MPI_Isend) MPI_Isend;
HEDDLE_MESSAGE_Send(send<Mode::standard>) HEDDLE_MESSAGE_Bsend(send<Mode::buffered>)
    HEDDLE_MESSAGE_Ssend(send<Mode::synchronous>) HEDDLE_MESSAGE_Rsend(send<Mode::ready>)
        HEDDLE_MESSAGE_Isend(isend<Mode::standard>) HEDDLE_MESSAGE_Ibsend(isend<Mode::buffered>)
            HEDDLE_MESSAGE_Issend(isend<Mode::synchronous>) HEDDLE_MESSAGE_Irsend(isend<Mode::ready>)
                HEDDLE_MESSAGE_Send_init(send_init<Mode::standard>) HEDDLE_MESSAGE_Bsend_init(send_init<Mode::buffered>)
                    HEDDLE_MESSAGE_Ssend_init(send_init<Mode::synchronous>) HEDDLE_MESSAGE_Rsend_init(send_init<Mode::ready>)
}
