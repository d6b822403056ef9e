// mpi/requests/send.cpp
#include "mpi/requests/send.hpp"

#include <new>
#include <utility>

namespace heddle::mpi {
namespace {

Done hand(Mode mode, const Message& message, int dest, int tag, MPI_Comm comm, MPI_Request* request) noexcept {
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

}  // namespace

BegunSend begin_send(Mode mode, const Buffer& data, Derived type, int dest, int tag, MPI_Comm comm) noexcept {
  BegunSend begun;
  auto* sent = new (std::nothrow) SentPacked(data, std::move(type));
  if (!sent) return begun;
  if (sent->message.ours()) {
    sent->message.pack();
    begun.result = hand(mode, sent->message, dest, tag, comm, &begun.request);
  }
  if (begun.result == MPI_SUCCESS)
    begun.pending = sent;
  else
    delete sent;
  return begun;
}

}  // namespace heddle::mpi
