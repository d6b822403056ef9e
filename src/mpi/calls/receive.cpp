// mpi/calls/receive.cpp: MPI_Recv and MPI_Mrecv: received packed, then put in place, as much as has arrived.
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi::face {

Done receive(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL) return {};
  Message message(data, Message::End::receiving);
  if (!message.ours()) return {};
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Recv, message.address(), message.count(), message.type(), source, tag, comm, arrived.get());
  if (!done) return done;
  return message.unpack(*done, comm, arrived.get());
}

Done receive(const Buffer& data, MPI_Message* handle, MPI_Status* status) noexcept {
  Message message(data, Message::End::receiving);
  if (!message.ours()) return {};
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Mrecv, message.address(), message.count(), message.type(), handle, arrived.get());
  if (!done) return done;
  return message.unpack(*done, MPI_COMM_WORLD, arrived.get());
}

int receive_or_pass(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  if (travels_packed(data.type, data.count) || must_not_split(data.type))
    if (const Done done = receive(data, source, tag, comm, status)) return *done;
  const Done done = HEDDLE_HAND(!fits(data.count), Recv, const_cast<void*>(data.address), Number{data.count}, data.type, source,
                                tag, comm, status);
  return landed(done.value_or(MPI_ERR_COUNT), data, comm, status);
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_RECEIVE(name, Integer)                                                                                       \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) { \
    if (travels_packed(datatype, count) || must_not_split(datatype))                                                        \
      if (const Done done = face::receive({buf, count, datatype}, source, tag, comm, status)) return *done;                 \
    const int result = PMPI_##name(buf, count, datatype, source, tag, comm, status);                                        \
    return Node::here() ? landed(result, {buf, count, datatype}, comm, status) : result;                                    \
  }

#define HEDDLE_RECEIVE_MATCHED(name, Integer)                                                                 \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) { \
    if (travels_packed(datatype, count) || must_not_split(datatype))                                          \
      if (const Done done = face::receive({buf, count, datatype}, message, status)) return *done;             \
    const int result = PMPI_##name(buf, count, datatype, message, status);                                    \
    return Node::here() ? landed(result, {buf, count, datatype}, MPI_COMM_WORLD, status) : result;            \
  }

extern "C" {
HEDDLE_RECEIVE(Recv, int)
HEDDLE_RECEIVE_MATCHED(Mrecv, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_RECEIVE(Recv_c, MPI_Count)
HEDDLE_RECEIVE_MATCHED(Mrecv_c, MPI_Count)
#endif
}
