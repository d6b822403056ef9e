// mpi/calls/sendrecv.cpp: MPI_Sendrecv and MPI_Sendrecv_replace; each side is announced, packed or neither by itself.
#include "mpi/rendezvous/held.hpp"
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/rendezvous/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/staging/message.hpp"

namespace heddle::mpi::face {
namespace {

/// What is sent must not be touched before the host has done with it, also if the program's error handler throws meanwhile.
struct Sending {
  MPI_Request request = MPI_REQUEST_NULL;
  Sending() = default;
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  ~Sending() {
    if (request != MPI_REQUEST_NULL) PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
};

/// What is sent is announced and packed before anything is received, so both may be in one place.
Done announce_and_receive(const Buffer& out, int dest, int sendtag, const Buffer& in, int source, int recvtag, MPI_Comm comm,
                          MPI_Status* status) {
  Announced message(out, Derived(hold_any(out.type)), dest, sendtag, comm, Sender::exchanges);
  if (!message) return {};
  Sending sent;
  const Done watched = Watch::send(message, dest, sendtag, comm);
  const int result =
      watched ? *watched : PMPI_Isend(message.announcement(), message.length(), MPI_BYTE, dest, sendtag, comm, &sent.request);
  if (result != MPI_SUCCESS) return result;
  message.settle();
  const int received = receive_or_pass(in, source, recvtag, comm, status);
  const int completed = PMPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  return received != MPI_SUCCESS ? received : completed;
}

/// A probe has received the announcement of what is to be received, or the message itself: that comes first, then.
Done receive_held(const Buffer& out, int dest, int sendtag, const Buffer& in, int source, int recvtag, MPI_Comm comm,
                  MPI_Status* status, bool in_place) {
  MPI_Message held = MPI_MESSAGE_NULL;
  if (!Held::any() || source == MPI_PROC_NULL) return {};
  const Done taken = Held::of_process().take(source, recvtag, comm, &held);
  if (taken != MPI_SUCCESS) return taken;
  Message message(out, in_place ? Message::End::copying : Message::End::sending);
  if (message.ours()) message.pack();
  Sending sent;
  const Done begun = HEDDLE_HAND(message.wide(), Isend, message.address(), message.count(), message.type(), dest, sendtag, comm,
                                 &sent.request);
  // Whoever has sent what is held waits for nothing of us but this.
  if (begun == MPI_SUCCESS && in_place && !message.ours()) PMPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  const int received = receive_matched(in, &held, status);
  const int completed = begun == MPI_SUCCESS ? PMPI_Wait(&sent.request, MPI_STATUS_IGNORE) : begun.value_or(MPI_ERR_COUNT);
  return received != MPI_SUCCESS ? received : completed;
}

}  // namespace

Done exchange(const Buffer& out, int dest, int sendtag, const Buffer& in, int source, int recvtag, MPI_Comm comm,
              MPI_Status* status) {
  if (comm == MPI_COMM_NULL) return {};
  if (const Done done = receive_held(out, dest, sendtag, in, source, recvtag, comm, status, false)) return done;
  if (dest != MPI_PROC_NULL && may_be_announced(out.type, out.count))
    if (const Done done = announce_and_receive(out, dest, sendtag, in, source, recvtag, comm, status)) return done;
  Message sent(dest == MPI_PROC_NULL ? Buffer{out.address, 0, out.type} : out);
  Message received(source == MPI_PROC_NULL ? Buffer{in.address, 0, in.type} : in, Message::End::receiving);
  if (received.unseen()) return requests::no_memory();
  if (!sent.ours() && !received.ours()) return {};
  if (out.count < 0 || in.count < 0) return {};
  if (sent.ours()) sent.pack();
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(sent.wide() || received.wide(), Sendrecv, sent.address(), sent.count(), sent.type(), dest, sendtag,
                  received.address(), received.count(), received.type(), source, recvtag, comm, arrived.get());
  if (!done) return done;
  return raise_new(received.unpack(*done, comm, arrived.get()), *done, comm);
}

Done exchange_in_place(const Buffer& data, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  if (comm == MPI_COMM_NULL) return {};
  if (const Done done = receive_held(data, dest, sendtag, data, source, recvtag, comm, status, true)) return done;
  if (dest != MPI_PROC_NULL && may_be_announced(data.type, data.count))
    if (const Done done = announce_and_receive(data, dest, sendtag, data, source, recvtag, comm, status)) return done;
  // Two buffers: the host's own replace would copy the message once more.
  Message sent(data, Message::End::copying);
  Message received(data, Message::End::receiving);
  if (received.unseen()) return requests::no_memory();
  if (!sent.ours() || !received.ours()) return {};
  sent.pack();
  const StatusOf arrived(status);
  const Done done = HEDDLE_HAND(sent.wide(), Sendrecv, sent.address(), sent.count(), sent.type(), dest, sendtag,
                                received.address(), received.count(), received.type(), source, recvtag, comm, arrived.get());
  if (!done) return done;
  return raise_new(received.unpack(*done, comm, arrived.get()), *done, comm);
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_EXCHANGE(name, Integer)                                                                                         \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,          \
                 Integer recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {       \
    Watch::look();                                                                                                             \
    will_send(sendcount, sendtype, sendtag);                                                                                   \
    if (travels_packed(sendtype, sendcount) || travels_packed(recvtype, recvcount) || must_not_split(recvtype) ||              \
        may_be_announced(sendtype, sendcount) || Held::any())                                                                  \
      if (const Done done = face::exchange({sendbuf, sendcount, sendtype}, dest, sendtag, {recvbuf, recvcount, recvtype},      \
                                           source, recvtag, comm, status))                                                     \
        return Watch::noted(*done);                                                                                            \
    if (source == MPI_PROC_NULL || !may_land(recvcount, recvtype))                                                             \
      return Watch::noted(PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source,       \
                                      recvtag, comm, status));                                                                 \
    const StatusOf arrived(status);                                                                                            \
    const int result = PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, \
                                   comm, arrived.get());                                                                       \
    return Watch::noted(raise_new(landed(result, {recvbuf, recvcount, recvtype}, arrived.get()), result, comm));               \
  }

#define HEDDLE_EXCHANGE_IN_PLACE(name, Integer)                                                                            \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,          \
                 MPI_Comm comm, MPI_Status* status) {                                                                      \
    Watch::look();                                                                                                         \
    will_send(count, datatype, sendtag);                                                                                   \
    if (known(datatype) || must_not_split(datatype) || Held::any())                                                        \
      if (const Done done = face::exchange_in_place({buf, count, datatype}, dest, sendtag, source, recvtag, comm, status)) \
        return Watch::noted(*done);                                                                                        \
    if (source == MPI_PROC_NULL || !may_land(count, datatype))                                                             \
      return Watch::noted(PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));                \
    const StatusOf arrived(status);                                                                                        \
    const int result = PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, arrived.get());             \
    return Watch::noted(raise_new(landed(result, {buf, count, datatype}, arrived.get()), result, comm));                   \
  }

extern "C" {
HEDDLE_EXCHANGE(Sendrecv, int)
HEDDLE_EXCHANGE_IN_PLACE(Sendrecv_replace, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_EXCHANGE(Sendrecv_c, MPI_Count)
HEDDLE_EXCHANGE_IN_PLACE(Sendrecv_replace_c, MPI_Count)
#endif
}
