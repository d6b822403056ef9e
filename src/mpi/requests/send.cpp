// mpi/requests/send.cpp
#include "mpi/requests/send.hpp"

#include <memory>
#include <new>
#include <utility>

#include "mpi/rendezvous/watch.hpp"

namespace heddle::mpi {
namespace {

Done hand(Mode mode, const Message& message, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  switch (mode) {
    case Mode::standard:
      return HEDDLE_HAND(message.wide(), Isend, message.address(), message.count(), message.type(), dest, tag, comm, request);
    case Mode::buffered:
      return HEDDLE_HAND(message.wide(), Ibsend, message.address(), message.count(), message.type(), dest, tag, comm, request);
    case Mode::synchronous:
      return HEDDLE_HAND(message.wide(), Issend, message.address(), message.count(), message.type(), dest, tag, comm, request);
    case Mode::ready:
      return HEDDLE_HAND(message.wide(), Irsend, message.address(), message.count(), message.type(), dest, tag, comm, request);
  }
  return {};
}

/// Its announcement has a request of Heddle's own; the program gets one that is complete, as the message will be. Nothing: it
/// need not be watched.
Done send_watched(const Announced& message, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  const Done done = Watch::send(message, dest, tag, comm);
  return done == MPI_SUCCESS ? PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request) : done;
}

/// An open message's descriptor goes by a synchronous send: the request is then complete when the receiver is at it. Not within
/// a call, whose end does not wait for receivers.
BegunSend announce(Mode mode, const Buffer& data, Derived type, int dest, int tag, MPI_Comm comm, Until until, Probes probes) {
  BegunSend begun;
  std::unique_ptr<SentAnnounced> sent(new (std::nothrow) SentAnnounced(
      data, std::move(type), dest, probes == Probes::possible ? tag : never_probed, comm, until));
  if (!sent) return begun;
  if (Announced& message = sent->message) {
    const bool waits = message.open() && until == Until::request_completes;
    const bool programs = probes == Probes::possible;
    sent->synchronous = programs && (waits || mode == Mode::synchronous);
    const auto post = mode == Mode::synchronous || waits ? PMPI_Issend : mode == Mode::ready ? PMPI_Irsend : PMPI_Isend;
    if (programs && !waits && mode != Mode::synchronous) begun.result = send_watched(message, dest, tag, comm, &begun.request);
    if (!begun.result) begun.result = post(message.announcement(), message.length(), MPI_BYTE, dest, tag, comm, &begun.request);
    if (begun.result == MPI_SUCCESS && !message.open()) message.settle();
  }
  if (begun.result == MPI_SUCCESS) begun.pending = sent.release();
  return begun;
}

}  // namespace

int SentAnnounced::finish(MPI_Status& status, int error) noexcept {
  int cancelled = 0;
  if (record.cancelled && PMPI_Test_cancelled(&status, &cancelled) == MPI_SUCCESS && cancelled)
    message.cancelled();
  else if (message.open())
    message.settle();
  if (synchronous && error == MPI_SUCCESS && !cancelled) Watch::delivered(message);
  return error;
}

BegunSend begin_send(Mode mode, const Buffer& data, Derived type, int dest, int tag, MPI_Comm comm, Until until,
                     Probes probes) {
  BegunSend begun;
  if (mode != Mode::buffered && type && may_be_announced(*type.get(), data.count)) {
    begun = announce(mode, data, type.again(), dest, tag, comm, until, probes);
    if (begun.result) return begun;
  }
  std::unique_ptr<SentPacked> sent(new (std::nothrow) SentPacked(data, std::move(type)));
  if (!sent) return begun;
  if (sent->message.ours()) {
    sent->message.pack();
    begun.result = hand(mode, sent->message, dest, tag, comm, &begun.request);
  }
  if (begun.result == MPI_SUCCESS) begun.pending = sent.release();
  return begun;
}

}  // namespace heddle::mpi
