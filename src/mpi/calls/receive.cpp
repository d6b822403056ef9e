// mpi/calls/receive.cpp: MPI_Recv and MPI_Mrecv: received packed, then put in place, as much as has arrived.
#include "mpi/rendezvous/held.hpp"
#include "mpi/rendezvous/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi::face {

Done receive(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL) return {};
  Message message(data, Message::End::receiving);
  if (message.unseen()) return requests::no_memory();
  if (!message.ours()) return {};
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Recv, message.address(), message.count(), message.type(), source, tag, comm, arrived.get());
  if (!done) return done;
  return raise_new(message.unpack(*done, comm, arrived.get()), *done, comm);
}

int receive_matched(const Buffer& data, MPI_Message* handle, MPI_Status* status) {
  if (*handle == MPI_MESSAGE_NO_PROC)
    return HEDDLE_HAND(!fits(data.count), Mrecv, const_cast<void*>(data.address), Number{data.count}, data.type, handle, status)
        .value_or(MPI_ERR_COUNT);
  const std::optional<Origin> origin = Held::of_process().origin(*handle);
  const communicators::Hold comm = origin ? origin->comm : communicators::Hold();
  Message message(data, Message::End::receiving);
  if (message.unseen()) return requests::no_memory();
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(message.wide(), Mrecv, message.address(), message.count(), message.type(), handle, arrived.get());
  if (!done) return MPI_ERR_COUNT;
  if (origin) set_origin(arrived.get(), *origin);
  return raise_new(message.unpack(*done, comm, arrived.get()), *done, comm);
}

int receive_or_pass(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (Held::any()) {
    MPI_Message held = MPI_MESSAGE_NULL;
    if (const Done taken = Held::of_process().take(source, tag, comm, &held))
      return *taken == MPI_SUCCESS ? receive_matched(data, &held, status) : *taken;
  }
  if (travels_packed(data.type, data.count) || must_not_split(data.type))
    if (const Done done = receive(data, source, tag, comm, status)) return *done;
  const StatusOf arrived(status);
  const int result = HEDDLE_HAND(!fits(data.count), Recv, const_cast<void*>(data.address), Number{data.count}, data.type,
                                 source, tag, comm, arrived.get())
                         .value_or(MPI_ERR_COUNT);
  if (source == MPI_PROC_NULL) return result;
  return raise_new(landed(result, data, arrived.get()), result, comm);
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

namespace {

/// Whether a receive is packed, may bring a descriptor, or find its message held: a few ns for short ones of predefined types.
inline bool ours(Count count, MPI_Datatype type) {
  if (Entry* entry = table.find(type)) return Node::here() || (entry->ready(type) && entry->pays_to_pack(count));
  return has_room(count, type) || Held::any();
}

}  // namespace

#define HEDDLE_RECEIVE(name, Integer)                                                                                         \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {   \
    Watch::look();                                                                                                            \
    if (ours(count, datatype)) return Watch::noted(face::receive_or_pass({buf, count, datatype}, source, tag, comm, status)); \
    const int result = Watch::noted(PMPI_##name(buf, count, datatype, source, tag, comm, status));                            \
    return result == MPI_SUCCESS ? result : cut_short(result, {buf, count, datatype}, status);                                \
  }

#define HEDDLE_RECEIVE_MATCHED(name, Integer)                                                                 \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) { \
    if (Node::here() || travels_packed(datatype, count))                                                      \
      return Watch::noted(face::receive_matched({buf, count, datatype}, message, status));                    \
    return Watch::noted(PMPI_##name(buf, count, datatype, message, status));                                  \
  }

extern "C" {
HEDDLE_RECEIVE(Recv, int)
HEDDLE_RECEIVE_MATCHED(Mrecv, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_RECEIVE(Recv_c, MPI_Count)
HEDDLE_RECEIVE_MATCHED(Mrecv_c, MPI_Count)
#endif
}
