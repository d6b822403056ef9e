// mpi/p2p/receive.cpp: asks the probe queue, then the host, then finishes by the descriptor or the
// data.
#include "mpi/p2p/receive.hpp"

#include <memory>
#include <new>

#include "mpi/communicators/for_host.hpp"
#include "mpi/p2p/network_receive.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {
namespace {

/// False: a null message, or MPI_MESSAGE_NO_PROC. Leave these to the host.
bool is_somebodys(const MPI_Message* message) {
  return message && *message != MPI_MESSAGE_NULL && *message != MPI_MESSAGE_NO_PROC;
}

/// There is no memory to follow a receive. If it cannot bring a descriptor, the host receives
/// alone. Otherwise the call fails.
Done cannot_follow(MPI_Comm comm) { return descriptors_come() ? Done(raise_new(MPI_ERR_NO_MEM, comm)) : Done(); }

}  // namespace

bool ReceiveOperation::can_begin() {
  if (!lacks_memory()) return true;
  if (!staged_->keeps_bytes()) return false;
  staged_.reset();
  straight_ = true;
  return true;
}

int ReceiveOperation::finish(MPI_Status& status, int error) noexcept {
  if (record.cancelled && is_cancelled(status)) return error;
  const report::InTheNameOf program(caller_);
  if (origin_) set_origin(&status, *origin_);
  const Sender sender = in_call_ != MPI_COMM_NULL ? Sender(in_call_, probes_) : Sender(comm_, probes_);
  if (staged_) return staged_->unpack(error, sender, &status);
  if (type_) return complete_receive(error, data_, type_, sender, &status);
  if (straight_) return complete_by_handle(error, data_, sender, &status);
  return complete_receive(error, data_, sender, &status);
}

const void* ReceiveOperation::lands() const noexcept {
  // The handle of the datatype may be gone by now, so the host must not be asked about it.
  if (staged_ && (staged_->apart() || !staged_->ours())) return nullptr;
  if (type_)
    return type_->first_piece() >= descriptor_bytes ? static_cast<const std::byte*>(data_.address) + type_->first_byte()
                                                    : nullptr;
  const auto [address, count, type] = at_host();
  return straight_ || layout::times(count, predefined(type).size) < descriptor_bytes ? nullptr : address;
}

bool Expected::may_cross(const Buffer& data, Route route) const {
  if (matched()) return *message_ != MPI_MESSAGE_NO_PROC && NetworkReceive::possible(data, route);
  return NetworkReceive::possible(data, route, from_.rank, from_.comm);
}

Raised Expected::receive(const Buffer& into, MPI_Status* status) const {
  MPI_Comm comm = from_.comm;
  return matched() ? HEDDLE_MESSAGE_BY_HOST(Mrecv, into, comm, message_, status)
                   : HEDDLE_MESSAGE_BY_HOST(Recv, into, comm, from_.rank, from_.tag, comm, status);
}

Raised Expected::post(const Buffer& into, MPI_Request* request) const {
  MPI_Comm comm = from_.comm;
  return matched() ? HEDDLE_MESSAGE_BY_HOST(Imrecv, into, comm, message_, request)
                   : HEDDLE_MESSAGE_BY_HOST(Irecv, into, comm, from_.rank, from_.tag, comm, request);
}

namespace {

int receive_expected(const Buffer& data, Route route, const Expected& expected, MPI_Status* status) {
  const StatusOf arrived(status);
  if (expected.may_cross(data, route))
    if (const auto crossing = NetworkReceive::made(data, route, expected))
      return NetworkReceive::in_call(crossing, crossing->begin(expected), expected.comm(), *arrived.get());
  ReceiveOperation operation(data, route, expected.comm());
  if (expected.origin()) operation.from(*expected.origin());
  if (!operation.can_begin()) return raise_new(MPI_ERR_NO_MEM, expected.comm());
  if (communicators::hides_errors(expected.comm())) PMPI_Status_set_elements_x(arrived.get(), MPI_BYTE, 0);
  const Raised result = expected.receive(operation.at_host(), arrived.get());
  const int completed = operation.finish(*arrived.get(), result);
  return expected.matched() ? raise_new(completed, result, operation.communicator())
                            : raise_new(completed, result, expected.comm());
}

Done start_expected(const Buffer& data, Route route, const Expected& expected, MPI_Request* request) {
  const Begun begun = begin_receive(data, route, expected);
  if (begun.lacks_memory) return cannot_follow(expected.comm());
  if (!begun.under_way()) return begun.result;
  *request = begun.request;
  if (begun.pending) requests::track(begun.request, begun.pending);
  return begun.result;
}

}  // namespace

int receive(const Buffer& data, Route route, const Envelope& from, MPI_Status* status) {
  return expect(from, [&](const Expected& expected) { return receive_expected(data, route, expected, status); });
}

int receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Status* status) {
  if (*message == MPI_MESSAGE_NO_PROC) route = {};
  return receive_expected(data, route, Expected(message), status);
}

Begun begin_receive(const Buffer& data, Route route, const Expected& expected, const KeptMemory& memory, Probes probes) {
  Begun begun;
  begun.lacks_memory = true;
  if (route.protocol == Protocol::passthrough && !expected.matched()) {
    begun.result = expected.post(data, &begun.request);
    begun.lacks_memory = false;
    return begun;
  }
  if (expected.may_cross(data, route)) {
    const auto crossing = NetworkReceive::made(data, route, expected, memory);
    return crossing ? NetworkReceive::with_request(crossing, crossing->begin(expected)) : begun;
  }
  std::unique_ptr<ReceiveOperation> operation(new (std::nothrow) ReceiveOperation(data, route, expected.hold(), probes));
  if (!operation || operation->lacks_memory()) return begun;
  if (expected.origin()) operation->from(*expected.origin());
  begun.result = expected.post(operation->at_host(), &begun.request);
  begun.lacks_memory = false;
  if (begun.under_way() && (expected.matched() || !operation->passes_through())) begun.pending = operation.release();
  return begun;
}

Done start_receive(const Buffer& data, Route route, const Envelope& from, MPI_Request* request) {
  if (!from.is_somebody() || !request) return {};
  if (!requests::table.room()) return cannot_follow(from.comm);
  return expect(from, [&](const Expected& expected) { return start_expected(data, route, expected, request); });
}

Done start_receive_matched(const Buffer& data, Route route, MPI_Message* message, MPI_Request* request) {
  if (!is_somebodys(message) || !request) return {};
  return requests::table.room() ? start_expected(data, route, Expected(message), request) : cannot_follow(MPI_COMM_NULL);
}

}  // namespace heddle::mpi
