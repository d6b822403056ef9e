// mpi/p2p/receive.cpp
#include "mpi/p2p/receive.hpp"

#include <memory>
#include <new>

#include "mpi/p2p/network_receive.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {
namespace {

bool is_cancelled(const MPI_Status& status) noexcept {
  int flag = 0;
  return PMPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag;
}

/// Nobody's message is the host's to receive, and so is one that MPI says there is none of.
bool is_somebodys(const MPI_Message* message) {
  return message && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC;
}

/// There is no memory to follow a receive: without Heddle if it cannot bring a descriptor, or not at all.
Done cannot_follow() { return descriptors_come() ? Done(requests::no_memory()) : Done(); }

}  // namespace

bool ReceiveOperation::can_begin() {
  if (!lacks_memory()) return true;
  if (!staged_->keeps_bytes()) return false;
  staged_.reset();
  straight_ = true;
  return true;
}

int ReceiveOperation::take(MPI_Message* message, MPI_Request* request) const {
  return HEDDLE_CALL_HOST(wide(), Imrecv, address(), count(), type(), message, request).value_or(MPI_ERR_COUNT);
}

int ReceiveOperation::finish(MPI_Status& status, int error) noexcept {
  if (record.cancelled && is_cancelled(status)) return error;
  const report::InTheNameOf program(caller_);
  if (origin_) set_origin(&status, *origin_);
  if (staged_)
    return in_call_ != MPI_COMM_NULL ? staged_->unpack(error, in_call_, &status) : staged_->unpack(error, comm_, &status);
  if (type_) return complete_receive(error, data_, type_, &status);
  if (straight_) return complete_by_handle(error, data_, &status);
  return complete_receive(error, data_, &status);
}

int receive(const Buffer& data, Route route, const Envelope& from, MPI_Status* status) {
  const auto [source, tag, comm] = from;
  if (ProbeQueue::any()) {
    MPI_Message held = MPI_MESSAGE_NULL;
    if (const Done taken = ProbeQueue::of_process().take(source, tag, comm, &held))
      return *taken == MPI_SUCCESS ? receive_matched(data, route, &held, status) : *taken;
  }
  const StatusOf arrived(status);
  if (NetworkReceive::possible(data, route, source, comm))
    if (const auto crossing = NetworkReceive::made(data, route, communicators::Hold(comm)))
      return NetworkReceive::in_call(crossing, crossing->begin(source, tag, comm), comm, *arrived.get());
  ReceiveOperation operation(data, route, comm);
  if (!operation.can_begin()) return requests::no_memory();
  const int result = HEDDLE_CALL_HOST(operation.wide(), Recv, operation.address(), operation.count(), operation.type(), source,
                                      tag, comm, arrived.get())
                         .value_or(MPI_ERR_COUNT);
  return raise_new(operation.finish(*arrived.get(), result), result, comm);
}

int receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Status* status) {
  if (*message == MPI_MESSAGE_NO_PROC) route = {};
  const std::optional<Origin> origin = ProbeQueue::of_process().origin(*message);
  const StatusOf arrived(status);
  if (NetworkReceive::possible(data, route) && *message != MPI_MESSAGE_NO_PROC)
    if (const auto crossing = NetworkReceive::made(data, route, communicators::Hold()))
      return NetworkReceive::in_call(crossing, crossing->begin(message, origin), MPI_COMM_NULL, *arrived.get());
  ReceiveOperation operation(data, route, communicators::Hold());
  if (origin) operation.from(*origin);
  if (!operation.can_begin()) return requests::no_memory();
  const int result = HEDDLE_CALL_HOST(operation.wide(), Mrecv, operation.address(), operation.count(), operation.type(),
                                      message, arrived.get())
                         .value_or(MPI_ERR_COUNT);
  return raise_new(operation.finish(*arrived.get(), result), result, operation.communicator());
}

Begun begin_receive(const Buffer& data, Route route, const Envelope& from, const KeptMemory& memory) {
  const auto [source, tag, comm] = from;
  Begun begun;
  if (route.way == Way::passthrough) {
    begun.result = HEDDLE_CALL_HOST(!fits(data.count), Irecv, const_cast<void*>(data.address), Number{data.count}, data.type,
                                    source, tag, comm, &begun.request)
                       .value_or(MPI_ERR_COUNT);
    return begun;
  }
  begun.result = MPI_ERR_NO_MEM;
  if (NetworkReceive::possible(data, route, source, comm)) {
    const auto crossing = NetworkReceive::made(data, route, communicators::Hold(comm), memory);
    return crossing ? NetworkReceive::with_request(crossing, crossing->begin(source, tag, comm)) : begun;
  }
  std::unique_ptr<ReceiveOperation> operation(new (std::nothrow) ReceiveOperation(data, route, communicators::Hold(comm)));
  if (!operation || operation->lacks_memory()) return begun;
  begun.result = HEDDLE_CALL_HOST(operation->wide(), Irecv, operation->address(), operation->count(), operation->type(), source,
                                  tag, comm, &begun.request)
                     .value_or(MPI_ERR_COUNT);
  if (begun.result == MPI_SUCCESS && !operation->passes_through()) begun.pending = operation.release();
  return begun;
}

Done start_receive(const Buffer& data, Route route, const Envelope& from, MPI_Request* request) {
  if (!from.is_somebody() || !request) return {};
  if (ProbeQueue::any()) {
    MPI_Message held = MPI_MESSAGE_NULL;
    if (const Done taken = ProbeQueue::of_process().take(from.rank, from.tag, from.comm, &held))
      return taken == MPI_SUCCESS ? start_receive_matched(data, route, &held, request) : taken;
  }
  if (!requests::table.room()) return cannot_follow();
  const Begun begun = begin_receive(data, route, from);
  if (begun.result == MPI_ERR_NO_MEM) return cannot_follow();
  if (begun.result != MPI_SUCCESS) return begun.result;
  *request = begun.request;
  if (begun.pending) requests::track(begun.request, begun.pending);
  return begun.result;
}

Begun begin_receive_matched(const Buffer& data, Route route, MPI_Message* message, const KeptMemory& memory) {
  const std::optional<Origin> origin = ProbeQueue::of_process().origin(*message);
  Begun begun{MPI_ERR_NO_MEM};
  if (NetworkReceive::possible(data, route)) {
    const auto crossing = NetworkReceive::made(data, route, communicators::Hold(), memory);
    return crossing ? NetworkReceive::with_request(crossing, crossing->begin(message, origin)) : begun;
  }
  std::unique_ptr<ReceiveOperation> operation(new (std::nothrow) ReceiveOperation(data, route, communicators::Hold()));
  if (!operation || operation->lacks_memory()) return begun;
  if (origin) operation->from(*origin);
  begun.result = operation->take(message, &begun.request);
  if (begun.result == MPI_SUCCESS) begun.pending = operation.release();
  return begun;
}

Done start_receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Request* request) {
  if (!is_somebodys(message) || !request) return {};
  if (!requests::table.room()) return cannot_follow();
  const Begun begun = begin_receive_matched(data, route, message);
  if (begun.result == MPI_ERR_NO_MEM) return cannot_follow();
  if (begun.result != MPI_SUCCESS) return begun.result;
  *request = begun.request;
  requests::track(begun.request, begun.pending);
  return begun.result;
}

}  // namespace heddle::mpi
