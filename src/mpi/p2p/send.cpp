// mpi/p2p/send.cpp: carries out a send. Its route says how: by the host, the fabric, a rendezvous,
// or packed.
#include "mpi/p2p/send.hpp"

#include <memory>
#include <new>

#include "engine/base/footprint.hpp"
#include "mpi/communicators/for_host.hpp"
#include "mpi/node/job_agreement.hpp"
#include "mpi/p2p/message_checks.hpp"
#include "mpi/p2p/network_send.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/shared_copy.hpp"
#include "mpi/requests/completion.hpp"
#include "select/forced.hpp"

namespace heddle::mpi {
namespace {

/// @param request  Null: calls the blocking form.
Raised host_send(Mode mode, const Buffer& data, const Envelope& to, MPI_Request* request) {
  if (request) return host_isend(mode, data, to, request);
  const int rank = to.rank;
  const int tag = to.tag;
  MPI_Comm comm = to.comm;
  switch (mode) {
    case Mode::standard:
      return HEDDLE_MESSAGE_BY_HOST(Send, data, comm, rank, tag, comm);
    case Mode::buffered:
      return HEDDLE_MESSAGE_BY_HOST(Bsend, data, comm, rank, tag, comm);
    case Mode::synchronous:
      return HEDDLE_MESSAGE_BY_HOST(Ssend, data, comm, rank, tag, comm);
    case Mode::ready:
      return HEDDLE_MESSAGE_BY_HOST(Rsend, data, comm, rank, tag, comm);
  }
  return {};
}

/// True: the host moves it better than a rendezvous would.
bool left_to_host(const Buffer& data, Route route, const Envelope& to, bool blocking) noexcept {
  if (route.protocol != Protocol::rendezvous || !route.type || route.type->pays_to_pack(data.count) ||
      route.type->contiguous(data.count))
    return false;
  MpiNode* node = MpiNode::here();
  const int peer = node ? node->peer(to.comm, to.rank) : -1;
  return peer >= 0 && node->leaves_to_host(peer, data.count * route.type->size(), blocking);
}

/// True: the message is too large to be packed, and no peer can read it where it lies.
bool too_large(const Buffer& data, Route route) noexcept {
  MpiNode* const node = MpiNode::here();
  if (route.protocol != Protocol::rendezvous || !route.type || route.type->pays_to_pack(data.count) || !node) return false;
  if (!exceeds_room(*route.type, data.count)) return false;
  if (settings_of_process().scheme != settings::Scheme::automatic) return false;
  const engine::Footprint touched = engine::footprint_of(route.type->layout(), data.count);
  return !node->shared().find(static_cast<const std::byte*>(data.address) + touched.low, touched.bytes());
}

void settle(engine::Rendezvous& message) noexcept {
  if (!message.settle()) say_once_verbose("staging buffers stay in small pages", "no memory");
}

}  // namespace

Raised host_isend(Mode mode, const Buffer& data, const Envelope& to, MPI_Request* request) {
  const int rank = to.rank;
  const int tag = to.tag;
  MPI_Comm comm = to.comm;
  switch (mode) {
    case Mode::standard:
      return HEDDLE_MESSAGE_BY_HOST(Isend, data, comm, rank, tag, comm, request);
    case Mode::buffered:
      return HEDDLE_MESSAGE_BY_HOST(Ibsend, data, comm, rank, tag, comm, request);
    case Mode::synchronous:
      return HEDDLE_MESSAGE_BY_HOST(Issend, data, comm, rank, tag, comm, request);
    case Mode::ready:
      return HEDDLE_MESSAGE_BY_HOST(Irsend, data, comm, rank, tag, comm, request);
  }
  return {};
}

Done SendOperation::begin(MPI_Request* request) {
  if (route_.protocol == Protocol::rendezvous)
    if (const Done done = begin_rendezvous(request)) return done;
  const bool packs = from_copy_ || (route_.type && route_.type->pays_to_pack(data_.count));
  return packs ? begin_packed(request) : Done();
}

/// A descriptor goes out instead of the message. If the message is left open to its receiver, the
/// descriptor goes by a synchronous send. Its request is then complete when the receiver has the
/// descriptor.
Done SendOperation::begin_rendezvous(MPI_Request* request) {
  MpiNode* const node = MpiNode::here();  // the route may be for the fabric alone, which has not taken it
  if (!node || !(route_.type ? may_meet(*node, *route_.type, data_.count) : may_meet(*node, data_.type, data_.count)))
    return {};
  report::ReportedCall reported("send");
  int peer = -1;
  {
    const report::Stopwatch watch(reported.times(), &report::Times::search);
    if (type_ && may_meet(*node, *type_.get(), data_.count)) peer = node->peer(to_.comm, to_.rank);
  }
  if (peer < 0 || !is_tag(to_.tag, to_.comm)) return {};  // a mistake: the host raises it
  const settings::Settings& set = settings_of_process();
  // A rank's message to itself waits for the receive that follows in the same call. But data that
  // leaves a buffer of both directions is packed at once.
  const bool to_self = peer == node->me();
  const Ends ends = !to_self ? ends_ : from_copy_ ? Ends::in_call : ends_ == Ends::beside_receive ? Ends::in_collective : ends_;
  auto& message = message_.emplace<engine::Rendezvous>(
      *node, engine::Rendezvous::Elements{type_.get(), data_.count, data_.address, peer, to_.tag, threads::key_of(to_.comm)},
      ends, probes_, engine::Rendezvous::Wanted{select::forced(set.scheme), set.segment, links_of_job().node}, reported);
  if (!message) return {};
  // The host's request for a message to itself may be complete at once: finish() packs what no
  // receive has taken.
  const bool waits = message.open() && ends == Ends::with_request && !to_self;
  const bool programs = probes_ == Probes::possible;
  synchronous_ = programs && (waits || mode_ == Mode::synchronous);
  Done done;
  if (programs && !waits && mode_ != Mode::synchronous) {  // a ready send may go in any mode
    done = Watch::send(message, to_);
    // The descriptor has a request of Heddle's own: the program gets one that is complete.
    if (done == MPI_SUCCESS && request)
      done = Raised::by_host(PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, to_.comm, request));
  }
  if (!done)
    done = host_send(waits ? Mode::synchronous : mode_, {message.descriptor(), message.length(), MPI_BYTE}, to_, request);
  const bool now = ends == Ends::in_call || ends == Ends::beside_receive || !message.open();
  if (done == MPI_SUCCESS && now && !(request && *request == MPI_REQUEST_NULL)) settle(message);
  return done;
}

Done SendOperation::begin_packed(MPI_Request* request) {
  auto& message = from_copy_ ? message_.emplace<StagedMessage>(data_, StagedMessage::End::copying, route_.type)
                             : message_.emplace<StagedMessage>(data_, type_.again());
  if (!message.ours()) return {};
  if (!message.pack()) return raise_new(MPI_ERR_TYPE, to_.comm);
  const SharedCopy copy(message.bytes());
  return host_send(mode_, message.at_host(), to_, request);
}

Done SendOperation::in_call() {
  if (route_.protocol != Protocol::rendezvous || mode_ != Mode::synchronous) return begin(nullptr);
  MPI_Request delivered = MPI_REQUEST_NULL;
  const Done begun = begin(&delivered);
  if (begun != MPI_SUCCESS || delivered == MPI_REQUEST_NULL) return begun;
  MPI_Status status;
  return Raised::by_host(finish(status, PMPI_Wait(&delivered, &status)));
}

int SendOperation::finish(MPI_Status& /*status*/, int error) noexcept {
  auto* const message = std::get_if<engine::Rendezvous>(&message_);
  if (!message) return error;
  if (message->open()) settle(*message);
  if (synchronous_ && error == MPI_SUCCESS) Watch::delivered(*message);
  return error;
}

Begun begin_send(const Buffer& data, Route route, Derived type, const Envelope& to, Mode mode, Ends ends, Probes probes,
                 const KeptMemory& memory) {
  Begun begun;
  if (ends == Ends::with_request && left_to_host(data, route, to, false)) {
    route.type->left_to_host().note(kind_of_send(data.count, to));
    return begun;
  }
  if (ends != Ends::in_collective && too_large(data, route)) return begun;
  if (route.protocol == Protocol::rendezvous)
    if (const auto crossing = NetworkSend::made(data, type, to, mode, memory)) return NetworkSend::with_request(crossing, to);
  std::unique_ptr<SendOperation> send(new (std::nothrow) SendOperation(data, route, std::move(type), to, mode, ends, probes));
  if (!send) return begun;
  begun.result = send->begin(&begun.request);
  if (begun.under_way()) begun.pending = send.release();
  return begun;
}

Done send(const Buffer& data, Route route, const Envelope& to, Mode mode) {
  if (!to.is_somebody()) return {};
  Watch::look();
  if (left_to_host(data, route, to, true) || too_large(data, route)) return {};
  Derived type = held(data, route);
  if (route.protocol == Protocol::rendezvous)
    if (const auto crossing = NetworkSend::made(data, type, to, mode)) return NetworkSend::in_call(crossing, to);
  return SendOperation(data, route, std::move(type), to, mode, Ends::in_call).in_call();
}

Done start_send(const Buffer& data, Route route, const Envelope& to, Mode mode, MPI_Request* request) {
  if (!to.is_somebody() || !request || !requests::table.room()) return {};
  Watch::look();
  const Begun begun = begin_send(data, route, held(data, route), to, mode, Ends::with_request);
  if (begun.lacks_memory) return raise_new(MPI_ERR_NO_MEM, to.comm);
  if (!begun.under_way()) return begun.result;
  *request = begun.request;
  requests::track_unless_done(begun.request, begun.pending);
  return begun.result;
}

}  // namespace heddle::mpi
