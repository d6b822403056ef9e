// mpi/calls/receive.cpp: MPI_Recv and MPI_Mrecv: received packed, then put in place, as much as has arrived.
#include "mpi/requests/receive.hpp"
#include "mpi/rendezvous/held.hpp"
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
  return raise_new(message.unpack(*done, comm, arrived.get()), *done, comm);
}

int receive_matched(const Buffer& data, MPI_Message* handle, MPI_Status* status) noexcept {
  // Errors of a matched message that is not held are raised where the host raises its own for such: on no communicator.
  const std::optional<Origin> origin = Held::of_process().origin(*handle);
  const MPI_Comm comm = origin ? origin->comm : MPI_COMM_SELF;
  Message message(data, Message::End::receiving);
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Mrecv, message.address(), message.count(), message.type(), handle, arrived.get());
  if (!done) return MPI_ERR_COUNT;
  if (origin) set_origin(arrived.get(), *origin);
  return raise_new(message.unpack(*done, comm, arrived.get()), *done, comm);
}

int receive_or_pass(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Status* status) noexcept {
  if (MPI_Message held = MPI_MESSAGE_NULL; Held::of_process().any() && Held::of_process().take(source, tag, comm, &held))
    return receive_matched(data, &held, status);
  if (travels_packed(data.type, data.count) || must_not_split(data.type))
    if (const Done done = receive(data, source, tag, comm, status)) return *done;
  const Done done = HEDDLE_HAND(!fits(data.count), Recv, const_cast<void*>(data.address), Number{data.count}, data.type, source,
                                tag, comm, status);
  const int result = done.value_or(MPI_ERR_COUNT);
  if (must_look(data.count, data.type) && !engine::announced(data.address, Node::here()->nonce())) return result;
  return raise_new(landed(result, data, status), result, comm);
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

namespace {

/// Whether a receive may bring a descriptor, or find its message held: a few ns for short ones of predefined types.
inline bool may_land(Count count, MPI_Datatype type) noexcept {
  return Node::here() && (known(type) || Held::any() || must_look(count, type));
}

}  // namespace

#define HEDDLE_RECEIVE(name, Integer)                                                                                       \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) { \
    if (travels_packed(datatype, count) || may_land(count, datatype))                                                       \
      return face::receive_or_pass({buf, count, datatype}, source, tag, comm, status);                                      \
    return PMPI_##name(buf, count, datatype, source, tag, comm, status);                                                    \
  }

#define HEDDLE_RECEIVE_MATCHED(name, Integer)                                                                 \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) { \
    if (Node::here() || travels_packed(datatype, count))                                                      \
      return face::receive_matched({buf, count, datatype}, message, status);                                  \
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
