// mpi/p2p/send_receive.cpp
#include "mpi/p2p/send_receive.hpp"

#include <memory>
#include <new>

#include "mpi/communicators/quiet.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/generalized.hpp"
#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {
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

/// By an operation, or by the host's own request. MPI's error code.
int begin(SendOperation& operation, const Half& out, MPI_Request* request) {
  if (out.peer.is_somebody())
    if (const Done done = operation.begin(request)) return *done;
  if (operation.lacks_memory()) return requests::no_memory();
  return HEDDLE_CALL_HOST(!fits(out.data.count), Isend, out.data.address, Number{out.data.count}, out.data.type, out.peer.rank,
                          out.peer.tag, out.peer.comm, request)
      .value_or(MPI_ERR_COUNT);
}

/// Both operations behind one generalized request, which is complete when both are. The program may not hear of an error before
/// then, and then once: what fails is raised by whoever settles the request.
class Both final : public Generalized<Pending> {
 public:
  Both(const Half& out, const Half& in, bool in_place)
      : send(out.data, out.route, held(out.data, out.route), out.peer, Mode::standard,
             in_place ? Ends::beside_receive : Ends::with_request),
        receive(in.data, in.route, communicators::Hold(in.peer.comm)) {
    begun();
  }

  int finish(MPI_Status& status, int error) noexcept override {
    status = received_.status;  // its error field is restored by the caller
    return error == MPI_SUCCESS ? result_ : error;
  }
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return receive.communicator(); }

  SendOperation send;
  ReceiveOperation receive;
  MPI_Request sent = MPI_REQUEST_NULL, received = MPI_REQUEST_NULL;

 private:
  struct End {
    bool reached = false;
    int error = MPI_SUCCESS;
    MPI_Status status;
  };

  bool carry_on(bool wait) noexcept override {
    {
      const Quiet quiet(communicator());
      if (!over(sent, sent_, wait) || !over(received, received_, wait)) return false;
    }
    result_ = receive.finish(received_.status, received_.error);
    const int error = send.finish(sent_.status, sent_.error);
    if (result_ == MPI_SUCCESS) result_ = error;
    return true;
  }
  static bool over(MPI_Request& request, End& end, bool wait) noexcept {
    int done = 1;
    if (end.reached) return true;
    end.error = wait ? PMPI_Wait(&request, &end.status) : PMPI_Test(&request, &done, &end.status);
    return end.reached = done || end.error != MPI_SUCCESS;
  }

  int result_ = MPI_SUCCESS;
  End sent_, received_;
};

}  // namespace

int send_receive(const Half& out, const Half& in, bool in_place, MPI_Status* status) {
  SendOperation operation(out.data, out.route, held(out.data, out.route), out.peer, Mode::standard, Ends::beside_receive);
  if (in_place) operation.from_copy();
  Sending sent;
  if (const int error = begin(operation, out, &sent.request); error != MPI_SUCCESS) return error;
  const int received = receive(in.data, in.route, in.peer, status);
  const int completed = PMPI_Wait(&sent.request, MPI_STATUS_IGNORE);
  return received != MPI_SUCCESS ? received : completed;
}

Done start_send_receive(const Half& out, const Half& in, bool in_place, MPI_Request* request) {
  if (in.peer.comm == MPI_COMM_NULL || !request) return {};
  std::unique_ptr<Both> both(requests::table.room() ? new (std::nothrow) Both(out, in, in_place) : nullptr);
  if (!both || both->receive.lacks_memory()) return requests::no_memory();
  if (in_place) both->send.from_copy();
  ReceiveOperation& receive = both->receive;
  // The send first: what it sends may lie where something is received, and a message that a probe has matched must not be lost
  // if it fails.
  if (const int error = begin(both->send, out, &both->sent); error != MPI_SUCCESS) return error;
  const auto [source, tag, comm] = in.peer;
  MPI_Message message = MPI_MESSAGE_NULL;
  Done done =
      ProbeQueue::any() && source != MPI_PROC_NULL ? ProbeQueue::of_process().take(source, tag, comm, &message) : Done();
  if (message != MPI_MESSAGE_NULL) {
    if (const std::optional<Origin> origin = ProbeQueue::of_process().origin(message)) receive.from(*origin);
    done = receive.take(&message, &both->received);
  } else if (!done) {
    done = HEDDLE_CALL_HOST(receive.wide(), Irecv, receive.address(), receive.count(), receive.type(), source, tag, comm,
                            &both->received)
               .value_or(MPI_ERR_COUNT);
  }
  if (done == MPI_SUCCESS) done = begin_generalized(request);
  if (done == MPI_SUCCESS)
    requests::track(*request, both.release());
  else
    static_cast<void>(both.release());  // the host may still read from it
  return done;
}

}  // namespace heddle::mpi
