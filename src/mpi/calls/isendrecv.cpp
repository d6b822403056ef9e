// mpi/calls/isendrecv.cpp: MPI_Isendrecv and MPI_Isendrecv_replace; each side is packed or not by itself, one request for both.
#include <memory>

#include "mpi/rendezvous/held.hpp"
#include "mpi/rendezvous/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/receive.hpp"
#include "mpi/start.hpp"

#if HEDDLE_ISENDRECV
namespace heddle::mpi {
namespace {

/// MPICH 5.0.2 reports neither how much has arrived (count 0), nor from where, nor truncation. So its receive side starts as a
/// packed copy of what the program's buffer holds, and all of it goes back: what has not arrived stays as it was.
class Exchanged final : public Pending {
 public:
  Exchanged(const Buffer& out, Message::End end, const Buffer& in, int source, int tag, MPI_Comm comm)
      : sent(out, end),
        received(in, Message::End::receiving),
        in_(in),
        looks_(must_look(in.count, in.type)),
        source_(source),
        tag_(tag),
        comm_(comm) {}

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
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }

  Message sent;
  Message received;

 private:
  void say_how_much(MPI_Status& status) noexcept {
    if (source_ != MPI_ANY_SOURCE) status.MPI_SOURCE = source_;
    if (tag_ != MPI_ANY_TAG) status.MPI_TAG = tag_;
    const Node* node = Node::here();
    const bool room = looks_ || received.bytes() >= descriptor_bytes;
    if (node && room && engine::announced(received.address(), node->nonce()))
      PMPI_Status_set_elements_x(&status, MPI_BYTE, engine::length_of(received.address()));
    else if (received.ours())
      PMPI_Status_set_elements_x(&status, MPI_BYTE, received.bytes());
  }

  Buffer in_;
  bool looks_;
  int source_;
  int tag_;
  communicators::Hold comm_;
};

// A receive that is over before its request is given out: a generalized request, which is unique and says where from.

int tell(void* arrived, MPI_Status* status) {
  const int error = status->MPI_ERROR;
  *status = *static_cast<const MPI_Status*>(arrived);
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}
int forget(void* arrived) {
  delete static_cast<MPI_Status*>(arrived);
  return MPI_SUCCESS;
}
int too_late(void* /*arrived*/, int /*complete*/) { return MPI_SUCCESS; }

/// What is sent from a copy; its request is nobody's.
class SentCopy final : public Pending {
 public:
  explicit SentCopy(const Buffer& data) : message(data, Message::End::copying) {}
  int finish(MPI_Status& /*status*/, int error) noexcept override { return error; }
  Message message;
};

/// A probe has received the announcement of what is to be received, or the message itself: it is received now. What is sent
/// goes from a copy, and needs no one.
Done iexchange_held(const Buffer& out, int dest, int sendtag, const Buffer& in, int source, int recvtag, MPI_Comm comm,
                    MPI_Request* request) {
  if (!Held::any() || source == MPI_PROC_NULL || !request) return {};
  MPI_Message held = MPI_MESSAGE_NULL;
  const Done taken = Held::of_process().take(source, recvtag, comm, &held);
  if (taken != MPI_SUCCESS) return taken;
  std::unique_ptr<MPI_Status> arrived(new (std::nothrow) MPI_Status);
  std::unique_ptr<SentCopy> sent(new (std::nothrow) SentCopy(out));
  if (!arrived || !sent) return requests::no_memory();
  if (dest != MPI_PROC_NULL) {
    MPI_Request sending = MPI_REQUEST_NULL;
    Message& message = sent->message;
    if (message.ours()) message.pack();
    const int error =
        HEDDLE_HAND(message.wide(), Isend, message.address(), message.count(), message.type(), dest, sendtag, comm, &sending)
            .value_or(MPI_ERR_COUNT);
    if (error == MPI_SUCCESS && !message.ours()) PMPI_Wait(&sending, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && message.ours()) requests::let_go(sent.release(), sending);
    if (error != MPI_SUCCESS) return error;
  }
  if (const int error = face::receive_matched(in, &held, arrived.get()); error != MPI_SUCCESS) return error;
  const int error = PMPI_Grequest_start(tell, forget, too_late, arrived.get(), request);
  if (error != MPI_SUCCESS) return error;
  static_cast<void>(arrived.release());  // the request has it
  return PMPI_Grequest_complete(*request);
}

Done iexchange(const Buffer& out, Message::End end, int dest, int sendtag, const Buffer& in, int source, int recvtag,
               MPI_Comm comm, MPI_Request* request) {
  if (comm == MPI_COMM_NULL || !request || out.count < 0 || in.count < 0 || !requests::table.room()) return {};
  if (const Done done = iexchange_held(out, dest, sendtag, in, source, recvtag, comm, request)) return done;
  std::unique_ptr<Exchanged> both(
      new (std::nothrow) Exchanged(dest == MPI_PROC_NULL ? Buffer{out.address, 0, out.type} : out, end,
                                   source == MPI_PROC_NULL ? Buffer{in.address, 0, in.type} : in, source, recvtag, comm));
  if (!both) return Node::here() ? Done(requests::no_memory()) : Done();
  const Message& sent = both->sent;
  const Message& received = both->received;
  Done done;
  if (received.lacks_memory()) {
    done = requests::no_memory();
  } else if (both->ours() && (end != Message::End::copying || sent.ours())) {
    both->pack();
    done = HEDDLE_HAND(sent.wide() || received.wide(), Isendrecv, sent.address(), sent.count(), sent.type(), dest, sendtag,
                       received.address(), received.count(), received.type(), source, recvtag, comm, request);
  }
  if (done != MPI_SUCCESS) return done;
  if (source == MPI_PROC_NULL)
    requests::track_unless_done(*request, both.release());
  else
    requests::track(*request, both.release());
  return done;
}

/// Whether the receiving side is Heddle's, or may bring a descriptor.
bool must_follow(Count count, MPI_Datatype type) noexcept {
  return travels_packed(type, count) || must_not_split(type) || must_look(count, type) || Held::any();
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_IEXCHANGE(name, Integer)                                                                                    \
  int MPI_##name(const void* sendbuf, Integer sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf,      \
                 Integer recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) { \
    will_send(sendcount, sendtype, sendtag);                                                                               \
    if (travels_packed(sendtype, sendcount) || must_follow(recvcount, recvtype))                                           \
      if (const Done done = iexchange({sendbuf, sendcount, sendtype}, Message::End::sending, dest, sendtag,                \
                                      {recvbuf, recvcount, recvtype}, source, recvtag, comm, request))                     \
        return *done;                                                                                                      \
    Watch::uncertain(); /* MPICH 5.0.2 does not report truncation here */                                                  \
    return PMPI_##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm,   \
                       request);                                                                                           \
  }

// Two buffers, as in MPI_Sendrecv_replace.
#define HEDDLE_IEXCHANGE_IN_PLACE(name, Integer)                                                                            \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,           \
                 MPI_Comm comm, MPI_Request* request) {                                                                     \
    will_send(count, datatype, sendtag);                                                                                    \
    if (must_follow(count, datatype) && dest != MPI_PROC_NULL && source != MPI_PROC_NULL)                                   \
      if (const Done done = iexchange({buf, count, datatype}, Message::End::copying, dest, sendtag, {buf, count, datatype}, \
                                      source, recvtag, comm, request))                                                      \
        return *done;                                                                                                       \
    Watch::uncertain();                                                                                                     \
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
