// mpi/calls/isendrecv.cpp: MPI_Isendrecv and MPI_Isendrecv_replace; each side is packed or not by itself, one request for both.
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/receive.hpp"
#include "mpi/start.hpp"

#if HEDDLE_ISENDRECV
namespace heddle::mpi {
namespace {

/// MPICH 5.0.2 reports neither how much has arrived (count 0) nor truncation. So its receive side starts as a packed copy of
/// what the program's buffer holds, and all of it goes back: what has not arrived stays as it was.
class Exchanged final : public Pending {
 public:
  Exchanged(const Buffer& out, Message::End end, const Buffer& in, MPI_Comm comm) noexcept
      : sent(out, end), received(in, Message::End::receiving), in_(in), looks_(must_look(in.count, in.type)), comm_(comm) {}

  [[nodiscard]] bool ours() const { return sent.ours() || received.ours() || looks_; }

  void pack() {
    if (sent.ours()) sent.pack();
    if (host() == Host::mpich) received.preload();
  }
  int finish(MPI_Status& status, int error) noexcept override {
    if (!received.ours() && !looks_) return error;
    if (host() == Host::mpich) say_how_much(status);
    return received.ours() ? received.unpack(error, comm_, &status) : landed(error, in_, &status);
  }
  [[nodiscard]] MPI_Comm communicator() const noexcept override { return comm_; }

  Message sent;
  Message received;

 private:
  void say_how_much(MPI_Status& status) noexcept {
    const Node* node = Node::here();
    const bool room = looks_ || received.bytes() >= descriptor_bytes;
    if (node && room && engine::announced(received.address(), node->nonce()))
      PMPI_Status_set_elements_x(&status, MPI_BYTE, descriptor_bytes);
    else if (received.ours())
      PMPI_Status_set_elements_x(&status, MPI_BYTE, received.bytes());
  }

  Buffer in_;
  bool looks_;
  MPI_Comm comm_;
};

Done iexchange(const Buffer& out, Message::End end, int dest, int sendtag, const Buffer& in, int source, int recvtag,
               MPI_Comm comm, MPI_Request* request) noexcept {
  if (comm == MPI_COMM_NULL || !request || out.count < 0 || in.count < 0 || !requests::table.room()) return {};
  auto* both = new (std::nothrow) Exchanged(dest == MPI_PROC_NULL ? Buffer{out.address, 0, out.type} : out, end,
                                            source == MPI_PROC_NULL ? Buffer{in.address, 0, in.type} : in, comm);
  if (!both) return {};
  const Message& sent = both->sent;
  const Message& received = both->received;
  Done done;
  if (both->ours() && (end != Message::End::copying || sent.ours())) {
    both->pack();
    done = HEDDLE_HAND(sent.wide() || received.wide(), Isendrecv, sent.address(), sent.count(), sent.type(), dest, sendtag,
                       received.address(), received.count(), received.type(), source, recvtag, comm, request);
  }
  if (done != MPI_SUCCESS)
    delete both;
  else if (source == MPI_PROC_NULL)
    requests::track_unless_done(*request, both);
  else
    requests::track(*request, both);
  return done;
}

/// Whether the receiving side is Heddle's, or may bring a descriptor.
bool must_follow(Count count, MPI_Datatype type) noexcept {
  return travels_packed(type, count) || must_not_split(type) || must_look(count, type);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_IEXCHANGE(name, Integer)                                                                                    \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,      \
                 Integer recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) { \
    if (travels_packed(sendtype, sendcount) || must_follow(recvcount, recvtype))                                           \
      if (const Done done = iexchange({sendbuf, sendcount, sendtype}, Message::End::sending, dest, sendtag,                \
                                      {recvbuf, recvcount, recvtype}, source, recvtag, comm, request))                     \
        return *done;                                                                                                      \
    return PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,   \
                       request);                                                                                           \
  }

// Two buffers, as in MPI_Sendrecv_replace.
#define HEDDLE_IEXCHANGE_IN_PLACE(name, Integer)                                                                            \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,           \
                 MPI_Comm comm, MPI_Request* request) {                                                                     \
    if (must_follow(count, datatype) && dest != MPI_PROC_NULL && source != MPI_PROC_NULL)                                   \
      if (const Done done = iexchange({buf, count, datatype}, Message::End::copying, dest, sendtag, {buf, count, datatype}, \
                                      source, recvtag, comm, request))                                                      \
        return *done;                                                                                                       \
    return PMPI_##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);                                \
  }

extern "C" {
HEDDLE_IEXCHANGE(Isendrecv, int)
HEDDLE_IEXCHANGE_IN_PLACE(Isendrecv_replace, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_IEXCHANGE(Isendrecv_c, MPI_Count)
HEDDLE_IEXCHANGE_IN_PLACE(Isendrecv_replace_c, MPI_Count)
#endif
}
#endif
