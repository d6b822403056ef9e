// mpi/p2p/host_probe.hpp: probes that do not lose the message that they find
// (engine/p2p/probe_queue.hpp). This is MPI's part for the engine's queue.
//
//   ProbeQueue::of_process().probe({source, tag, comm}, true, &flag, status);      // MPI_Probe
//   if (const Done taken = ProbeQueue::take_for(from, &message)) ...               // a receive: a probe holds its message
#pragma once

#include "engine/p2p/probe_queue.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/process/numbers.hpp"
#include "mpi/requests/status_of.hpp"
#include "threads/read_by_every_call.hpp"

namespace heddle::mpi {

/// The destination of a message, or its possible sources (MPI-5.0 §3.2.3).
struct Envelope {
  int rank;
  int tag;
  MPI_Comm comm;

  /// False: MPI_PROC_NULL, or a mistake.
  [[nodiscard]] bool is_somebody() const noexcept { return rank != MPI_PROC_NULL && comm != MPI_COMM_NULL; }
};

using Origin = engine::Origin<communicators::Hold>;

/// Bytes that have arrived. -1: the host does not say.
inline Bytes bytes_of(const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS ? Bytes{bytes} : -1;
}

/// A matched message that Heddle had sent to itself has been received. Sets its true origin in the
/// status.
inline void set_origin(MPI_Status* status, const Origin& origin) noexcept {
  status->MPI_SOURCE = origin.source;
  status->MPI_TAG = origin.tag;
}

/// The Library of engine::ProbeQueue, by MPI.
class ProbingHost {
 public:
  using Communicator = MPI_Comm;
  using Envelope = mpi::Envelope;
  using Hold = communicators::Hold;
  using Message = MPI_Message;
  using Request = MPI_Request;
  using Status = MPI_Status;
  static constexpr int any_source = MPI_ANY_SOURCE, any_tag = MPI_ANY_TAG;
  static Message no_message() noexcept { return MPI_MESSAGE_NULL; }
  static Request no_request() noexcept { return MPI_REQUEST_NULL; }
  static bool is_nobodys(Message message) noexcept { return message == MPI_MESSAGE_NO_PROC; }
  static int source_of(const Status& status) noexcept { return status.MPI_SOURCE; }
  static int tag_of(const Status& status) noexcept { return status.MPI_TAG; }
  static Bytes bytes_of(const Status& status) noexcept { return mpi::bytes_of(status); }

  static int probe(const Envelope& from, bool blocking, int* flag, Status& found);
  static int match(const Envelope& from, bool blocking, int* flag, Message* message, Status& found);
  static int receive(std::byte* to, int length, Message* message);
  static int no_memory(MPI_Comm comm);
  static void set_bytes(Status& status, Bytes bytes) noexcept;
  static void tell(Status& status, int source, int tag, Bytes bytes) noexcept;

  /// Tells what a message that the host has found may be. Nothing: it is not as long as a
  /// descriptor, or comes from a rank that announces nothing.
  static std::optional<engine::Lengths::ProbedLength> probed_length(const Status& found, MPI_Comm comm);
  static bool from_another_node(const Status& found, MPI_Comm comm);
  /// Bytes of the message that a descriptor announces. Nothing: `arrived` is no descriptor.
  static std::optional<Bytes> announced(const std::byte* arrived, Bytes length) noexcept;

  // Messages to this process, on a communicator of their own:

  int send_to_self(const std::byte* bytes, int length, Request* request);
  /// Matches the message that was sent last.
  int match_own(Message* message);
  static bool is_sent(Request& request) noexcept;
  static void let_go(Request& request) noexcept;
  void close() noexcept;

 private:
  MPI_Comm own_ = MPI_COMM_NULL;
  int next_tag_ = 0;
};

}  // namespace heddle::mpi

template <>
HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<int> heddle::engine::ProbeQueue<heddle::mpi::ProbingHost>::count_;

namespace heddle::mpi {

class ProbeQueue final : public engine::ProbeQueue<ProbingHost> {
 public:
  static ProbeQueue& of_process() noexcept;

  int probe(const Envelope& from, bool blocking, int* flag, MPI_Status* status) {
    const StatusOf found(status);
    return engine::ProbeQueue<ProbingHost>::probe(from, blocking, flag, *found.get());
  }
  int match(const Envelope& from, bool blocking, int* flag, MPI_Message* message, MPI_Status* status) {
    const StatusOf found(status);
    return engine::ProbeQueue<ProbingHost>::match(from, blocking, flag, message, *found.get());
  }
  /// take() of the process's queue, if the queue holds anything.
  [[nodiscard]] static Done take_for(const Envelope& from, MPI_Message* message) {
    return any() ? take_for(from, communicators::Hold(from.comm), message) : Done();
  }
  /// take_for() with a communicator whose handle may be gone.
  [[nodiscard]] static Done take_for(const Envelope& from, const communicators::Hold& comm, MPI_Message* message) {
    const std::optional<int> taken = any() ? of_process().take(from.rank, from.tag, comm, message) : std::nullopt;
    return taken ? Done(Raised::by_host(*taken)) : Done();
  }
};

}  // namespace heddle::mpi
