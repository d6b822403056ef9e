// mpi/calls/sendrecv.cpp: MPI_Sendrecv and MPI_Sendrecv_replace; each side is packed or not by itself.
#include "mpi/staging/message.hpp"

namespace heddle::mpi::face {

Done exchange(const Buffer& out, int dest, int sendtag, const Buffer& in, int source, int recvtag, MPI_Comm comm,
              MPI_Status* status) noexcept {
  if (comm == MPI_COMM_NULL) return {};
  Message sent(dest == MPI_PROC_NULL ? Buffer{out.address, 0, out.type} : out);
  Message received(source == MPI_PROC_NULL ? Buffer{in.address, 0, in.type} : in);
  if (!sent.ours() && !received.ours()) return {};
  if (out.count < 0 || in.count < 0) return {};
  if (sent.ours()) sent.pack();
  const StatusOf arrived(status);
  const Done done =
      HEDDLE_HAND(sent.wide() || received.wide(), Sendrecv, sent.address(), sent.count(), sent.type(), dest, sendtag,
                  received.address(), received.count(), received.type(), source, recvtag, comm, arrived.get());
  if (done) received.unpack(*done, arrived.get());
  return done;
}

Done exchange_in_place(const Buffer& data, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                       MPI_Status* status) noexcept {
  if (comm == MPI_COMM_NULL) return {};
  // Two buffers: the host's own replace would copy the message once more.
  Message sent(data);
  Message received(data);
  if (!sent.ours() || !received.ours()) return {};
  sent.pack();
  const StatusOf arrived(status);
  const Done done = HEDDLE_HAND(sent.wide(), Sendrecv, sent.address(), sent.count(), sent.type(), dest, sendtag,
                                received.address(), received.count(), received.type(), source, recvtag, comm, arrived.get());
  if (done) received.unpack(*done, arrived.get());
  return done;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

#define HEDDLE_EXCHANGE(name, Integer)                                                                                    \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,     \
                 Integer recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {  \
    if (travels_packed(sendtype, sendcount) || travels_packed(recvtype, recvcount))                                       \
      if (const Done done = face::exchange({sendbuf, sendcount, sendtype}, dest, sendtag, {recvbuf, recvcount, recvtype}, \
                                           source, recvtag, comm, status))                                                \
        return *done;                                                                                                     \
    return PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,  \
                       status);                                                                                           \
  }

#define HEDDLE_EXCHANGE_IN_PLACE(name, Integer)                                                                            \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,          \
                 MPI_Comm comm, MPI_Status* status) {                                                                      \
    if (travels_packed(datatype, count))                                                                                   \
      if (const Done done = face::exchange_in_place({buf, count, datatype}, dest, sendtag, source, recvtag, comm, status)) \
        return *done;                                                                                                      \
    return PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, status);                                \
  }

extern "C" {
HEDDLE_EXCHANGE(Sendrecv, int)
HEDDLE_EXCHANGE_IN_PLACE(Sendrecv_replace, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_EXCHANGE(Sendrecv_c, MPI_Count)
HEDDLE_EXCHANGE_IN_PLACE(Sendrecv_replace_c, MPI_Count)
#endif
}
