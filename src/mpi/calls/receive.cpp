// mpi/calls/receive.cpp: MPI_Recv and MPI_Mrecv: received packed, then put in place, as much as has arrived.
#include "mpi/staging/message.hpp"

namespace heddle::mpi::face {

Done receive(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL) return {};
  Message message(data);
  if (!message.ours()) return {};
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Recv, message.address(), message.count(), message.type(), source, tag, comm, arrived.get());
  if (done) message.unpack(*done, arrived.get());
  return done;
}

Done receive(const Buffer& data, MPI_Message* handle, MPI_Status* status) noexcept {
  Message message(data);
  if (!message.ours()) return {};
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Mrecv, message.address(), message.count(), message.type(), handle, arrived.get());
  if (done) message.unpack(*done, arrived.get());
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_RECEIVE(name, Integer)                                                                                       \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) { \
    if (travels_packed(datatype, count))                                                                                    \
      if (const Done done = face::receive({buf, count, datatype}, source, tag, comm, status)) return *done;                 \
    return PMPI_##name(buf, count, datatype, source, tag, comm, status);                                                    \
  }

#define HEDDLE_RECEIVE_MATCHED(name, Integer)                                                                 \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) { \
    if (travels_packed(datatype, count))                                                                      \
      if (const Done done = face::receive({buf, count, datatype}, message, status)) return *done;             \
    return PMPI_##name(buf, count, datatype, message, status);                                                \
  }

extern "C" {
HEDDLE_RECEIVE(Recv, int)
HEDDLE_RECEIVE_MATCHED(Mrecv, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_RECEIVE(Recv_c, MPI_Count)
HEDDLE_RECEIVE_MATCHED(Mrecv_c, MPI_Count)
#endif
}
