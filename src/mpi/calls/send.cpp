// mpi/calls/send.cpp: the four blocking sends: packed, then sent as the host sends contiguous data.
#include "mpi/rendezvous/sends.hpp"
#include "mpi/rendezvous/watch.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi::face {
namespace {

/// Large, with holes, to a rank of this node: announced, then packed while the receiver unpacks.
Done announce(Mode mode, const Buffer& data, int dest, int tag, MPI_Comm comm) {
  Announced message(data, Derived(hold_any(data.type)), dest, tag, comm, Sender::waits);
  if (!message) return {};
  if (mode != Mode::synchronous)  // what is sent in ready mode may be sent in any
    if (const Done watched = Watch::send(message, dest, tag, comm)) {
      if (watched == MPI_SUCCESS) message.settle();
      return watched;
    }
  if (mode != Mode::synchronous) {
    const int result =
        (mode == Mode::ready ? PMPI_Rsend : PMPI_Send)(message.announcement(), message.length(), MPI_BYTE, dest, tag, comm);
    if (result == MPI_SUCCESS) message.settle();
    return result;
  }
  MPI_Request matched = MPI_REQUEST_NULL;
  const int result = PMPI_Issend(message.announcement(), message.length(), MPI_BYTE, dest, tag, comm, &matched);
  if (result != MPI_SUCCESS) return result;
  message.settle();
  const int completed = PMPI_Wait(&matched, MPI_STATUS_IGNORE);
  if (completed == MPI_SUCCESS) Watch::delivered(message);
  return completed;
}

}  // namespace

Done send(Mode mode, const Buffer& data, int dest, int tag, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL || comm == MPI_COMM_NULL) return {};
  if (mode != Mode::buffered && may_be_announced(data.type, data.count))
    if (const Done done = announce(mode, data, dest, tag, comm)) return done;
  Message message(data);
  if (!message.ours()) return {};
  message.pack();
  switch (mode) {
    case Mode::standard:
      return HEDDLE_HAND(message.wide(), Send, message.address(), message.count(), message.type(), dest, tag, comm);
    case Mode::buffered:
      return HEDDLE_HAND(message.wide(), Bsend, message.address(), message.count(), message.type(), dest, tag, comm);
    case Mode::synchronous:
      return HEDDLE_HAND(message.wide(), Ssend, message.address(), message.count(), message.type(), dest, tag, comm);
    case Mode::ready:
      return HEDDLE_HAND(message.wide(), Rsend, message.address(), message.count(), message.type(), dest, tag, comm);
  }
  return {};
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_SEND(name, Integer, mode)                                                                    \
  int MPI_##name(const void* buf, Integer count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) { \
    if (sends(count, datatype, tag)) {                                                                      \
      Watch::look();                                                                                        \
      if (const Done done = face::send(mode, {buf, count, datatype}, dest, tag, comm)) return *done;        \
    }                                                                                                       \
    return PMPI_##name(buf, count, datatype, dest, tag, comm);                                              \
  }

extern "C" {
HEDDLE_SEND(Send, int, Mode::standard)
HEDDLE_SEND(Bsend, int, Mode::buffered)
HEDDLE_SEND(Ssend, int, Mode::synchronous)
HEDDLE_SEND(Rsend, int, Mode::ready)
#if HEDDLE_LARGE_COUNTS
HEDDLE_SEND(Send_c, MPI_Count, Mode::standard)
HEDDLE_SEND(Bsend_c, MPI_Count, Mode::buffered)
HEDDLE_SEND(Ssend_c, MPI_Count, Mode::synchronous)
HEDDLE_SEND(Rsend_c, MPI_Count, Mode::ready)
#endif
}
