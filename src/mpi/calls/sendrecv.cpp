// mpi/calls/sendrecv.cpp: MPI_Sendrecv, MPI_Isendrecv and their forms for one buffer: two
// operations, each with its own route. The arguments of both are checked before the first begins
// (mpi/p2p/message_checks.hpp). If the host may refuse them, it gets the call as the program made
// it, and raises the error.
#include <memory>
#include <new>

#include "entry_points.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/communicators/for_host.hpp"
#include "mpi/p2p/message_checks.hpp"
#include "mpi/p2p/network_receive.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/receive_in_place.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/generalized.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {
namespace {

/// One side of such a call.
struct Half {
  Buffer data;
  Route route;
  Envelope peer;

  static Half sent(const Buffer& data, const Envelope& to) { return {data, route_of_send(data, to.tag, Mode::standard), to}; }
  static Half received(const Buffer& data, const Envelope& from) { return {data, route_of_receive(data), from}; }
};

/// An operation that has begun, or a request of the host alone.
class Begin {
 public:
  Begin() = default;
  explicit Begin(const Begun& begun) noexcept : pending_(begun.pending), request_(begun.request) {}

  /// Returns whether it is over; its errors are kept.
  bool over(bool wait) noexcept {
    int done = 1;
    if (over_) return true;
    if (pending_) pending_->advance(wait);
    error_ = wait ? PMPI_Wait(&request_, &status_) : PMPI_Test(&request_, &done, &status_);
    return over_ = done || error_ != MPI_SUCCESS;
  }
  /// Call it when over(). Returns MPI's error code, and corrects status() for the program.
  int finish() noexcept { return pending_ ? pending_->finish(status_, error_) : error_; }
  [[nodiscard]] const MPI_Status& status() const noexcept { return status_; }
  [[nodiscard]] const void* lands() const noexcept { return pending_ ? pending_->lands() : nullptr; }

 private:
  std::unique_ptr<Pending> pending_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool over_ = false;
  int error_ = MPI_SUCCESS;
  MPI_Status status_{};
};

/// The host reads the send buffer until the send is over, also if the program's error handler
/// throws meanwhile. So the destructor waits.
struct Sending {
  Begin send;
  explicit Sending(const Begun& begun) noexcept : send(begun) {}
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  ~Sending() { send.over(true); }
};

/// Begins the send, by an operation or by the host's own request. There always is a result.
Begun begin(const Half& out, Ends ends, bool in_place) {
  const auto& [data, route, peer] = out;
  Begun begun;
  if (peer.is_somebody() && in_place) {
    std::unique_ptr<SendOperation> send(new (std::nothrow)
                                            SendOperation(data, route, held(data, route), peer, Mode::standard, ends));
    if (!send) return {raise_new(MPI_ERR_NO_MEM, peer.comm)};
    send->from_copy();
    begun.result = send->begin(&begun.request);
    begun.lacks_memory = !begun.result && send->lacks_memory();
    if (begun.under_way()) begun.pending = send.release();
  } else if (peer.is_somebody()) {
    begun = begin_send(data, route, held(data, route), peer, Mode::standard, ends);
  }
  if (begun.lacks_memory) return {raise_new(MPI_ERR_NO_MEM, peer.comm)};
  if (!begun.result)
    begun.result = HEDDLE_MESSAGE_BY_HOST(Isend, data, peer.comm, peer.rank, peer.tag, peer.comm, &begun.request);
  return begun;
}

/// Both operations behind one generalized request, which is complete when both are. The program
/// must hear of an error only then, and only once. The call that settles the request raises the
/// error.
class Both final : public Generalized<Pending> {
 public:
  explicit Both(MPI_Comm comm) : comm_(comm) { begun(); }

  int finish(MPI_Status& status, int error) noexcept override {
    status = received.status();  // its error field is restored by the caller
    return error == MPI_SUCCESS ? result_ : error;
  }
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }
  [[nodiscard]] const void* lands() const noexcept override { return received.lands(); }

  Begin sent, received;

 private:
  bool carry_on(bool wait) noexcept override {
    {
      const Quiet quiet(comm_);
      if (!sent.over(wait) || !received.over(wait)) return false;
    }
    result_ = received.finish();
    const int error = sent.finish();
    if (result_ == MPI_SUCCESS) result_ = error;
    return true;
  }

  communicators::Hold comm_;
  int result_ = MPI_SUCCESS;
};

/// MPI_Sendrecv, or MPI_Sendrecv_replace if `in_place`. In place, the data to send has left the
/// buffer before anything comes.
int send_receive(const Half& out, const Half& in, bool in_place, MPI_Status* status) {
  const Begun begun = begin(out, Ends::beside_receive, in_place);
  if (!begun.under_way()) return *begun.result;
  Sending sent(begun);
  const int received = receive(in.data, in.route, in.peer, status);
  sent.send.over(true);
  const int completed = sent.send.finish();
  return received != MPI_SUCCESS ? received : completed;
}

/// MPI_Isendrecv, MPI_Isendrecv_replace. Nothing: the host gets the call as the program made it.
/// The send begins first. Its data may lie in the receive buffer. And if it fails, a message that a
/// probe has matched must not be lost.
Done start_send_receive(const Half& out, const Half& in, bool in_place, MPI_Request* request) {
  if (!request) return {};
  std::unique_ptr<Both> both(requests::table.room() ? new (std::nothrow) Both(in.peer.comm) : nullptr);
  if (!both) return raise_new(MPI_ERR_NO_MEM, in.peer.comm);
  const Begun sent = begin(out, in_place ? Ends::beside_receive : Ends::with_request, in_place);
  if (!sent.under_way()) return sent.result;
  both->sent = Begin(sent);
  const auto begin_expected = [&](const Expected& expected) { return begin_receive(in.data, in.route, expected); };
  const Expected nobody(in.peer);
  const Begun received = in.peer.is_somebody() ? expect(in.peer, begin_expected) : begin_expected(nobody);
  Done done = received.lacks_memory ? raise_new(MPI_ERR_NO_MEM, in.peer.comm) : *received.result;
  MPI_Request made = MPI_REQUEST_NULL;
  if (received.under_way()) {
    both->received = Begin(received);
    done = Raised::by_host(begin_generalized(&made));
  }
  if (made != MPI_REQUEST_NULL)
    requests::track(*request = made, both.release());
  else
    static_cast<void>(both.release());  // the host may still read from it
  return done;
}

bool both_taken(const Half& out, const Half& in) {
  return takes(out.data, Direction::out, out.peer) && takes(in.data, Direction::in, in.peer);
}

/// The host gets both sides as the program made them.
/// @param host  The host's call. It is given a status.
template <class Host>
int pass_through(const Host& host, const Half& in, MPI_Status* status) {
  if (in.route.protocol == Protocol::passthrough || !in.peer.is_somebody()) return Watch::noted(host(status));
  const StatusOf arrived(status);
  const bool hides = communicators::hides_errors(in.peer.comm);
  if (hides) PMPI_Status_set_elements_x(arrived.get(), MPI_BYTE, 0);
  const int result = host(arrived.get());
  if (hides && bytes_of(*arrived.get()) <= 0) return Watch::noted(result);  // it may have failed
  const int completed = in.route.type ? complete_by_handle(result, in.data, Sender(in.peer.comm), arrived.get())
                                      : complete_receive(result, in.data, Sender(in.peer.comm), arrived.get());
  return Watch::noted(raise_new(completed, Raised::by_host(result), in.peer.comm));
}

template <class Host>
int carry_out(const Host& host, const Half& out, const Half& in, bool in_place, MPI_Status* status) {
  const bool packed = out.route.protocol != Protocol::passthrough || in.route.protocol == Protocol::packed ||
                      NetworkReceive::possible(in.data, in.route, in.peer.rank, in.peer.comm);
  if (!(packed || ProbeQueue::any()) || !both_taken(out, in) || (!status && status != MPI_STATUS_IGNORE))
    return pass_through(host, in, status);
  return Watch::noted(send_receive(out, in, in_place, status));
}

int sendrecv(auto host, const Buffer& out, const Envelope& to, const Buffer& in, const Envelope& from, MPI_Status* status) {
  if (is_hosts(out.address, out.count, out.type) || is_hosts_with_holes(out.address, out.count, out.type)) {
    const Destination found = blocking_destination(in, from);
    if (found == Destination::host) return Watch::noted(host(status));
    if (found == Destination::buffer) return Watch::noted(receive_in_place(host, in, from, status));
  }
  Watch::look();
  return carry_out(host, Half::sent(out, to), Half::received(in, from), false, status);
}

int sendrecv_replace(auto host, const Buffer& data, const Envelope& to, const Envelope& from, MPI_Status* status) {
  Watch::look();
  return carry_out(host, Half::sent(data, to), Half::received(data, from), true, status);
}

/// Nothing: the host gets both sides as the program made them.
Done start(const Half& out, const Half& in, bool in_place, MPI_Request* request) {
  if ((out.route.protocol == Protocol::passthrough && in.route.protocol == Protocol::passthrough) || !both_taken(out, in)) {
    Watch::uncertain();  // MPICH 5.0.2 does not report truncation here
    return {};
  }
  return start_send_receive(out, in, in_place, request);
}

int isendrecv(auto host, const Buffer& out, const Envelope& to, const Buffer& in, const Envelope& from, MPI_Request* request) {
  return start(Half::sent(out, to), Half::received(in, from), false, request).or_call(host);
}

int isendrecv_replace(auto host, const Buffer& data, const Envelope& to, const Envelope& from, MPI_Request* request) {
  return start(Half::sent(data, to), Half::received(data, from), true, request).or_call(host);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_MESSAGE_Sendrecv(sendrecv) HEDDLE_MESSAGE_Sendrecv_replace(sendrecv_replace) HEDDLE_MESSAGE_Isendrecv(isendrecv)
    HEDDLE_MESSAGE_Isendrecv_replace(isendrecv_replace)
}
