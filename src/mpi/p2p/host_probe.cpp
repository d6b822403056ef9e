// mpi/p2p/host_probe.cpp: the host's probes, as the template parameter of
// engine/p2p/probe_queue.hpp.
#include "mpi/p2p/host_probe.hpp"

#include "layout/immortal.hpp"
#include "mpi/node/mpi_node.hpp"

template <>
HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<int> heddle::engine::ProbeQueue<heddle::mpi::ProbingHost>::count_{0};

namespace heddle::mpi {

ProbeQueue& ProbeQueue::of_process() noexcept {
  static layout::Immortal<ProbeQueue> queue;
  return *queue;
}

int ProbingHost::probe(const Envelope& from, bool blocking, int* flag, MPI_Status& found) {
  const auto [source, tag, comm] = from;
  if (!blocking) return PMPI_Iprobe(source, tag, comm, flag, &found);
  *flag = 1;
  return PMPI_Probe(source, tag, comm, &found);
}

int ProbingHost::match(const Envelope& from, bool blocking, int* flag, MPI_Message* message, MPI_Status& found) {
  const auto [source, tag, comm] = from;
  if (!blocking) return PMPI_Improbe(source, tag, comm, flag, message, &found);
  *flag = 1;
  return PMPI_Mprobe(source, tag, comm, message, &found);
}

int ProbingHost::receive(std::byte* to, int length, MPI_Message* message) {
  return PMPI_Mrecv(to, length, MPI_BYTE, message, MPI_STATUS_IGNORE);
}

int ProbingHost::no_memory(MPI_Comm comm) { return raise_new(MPI_ERR_NO_MEM, comm); }

void ProbingHost::set_bytes(MPI_Status& status, Bytes bytes) noexcept { PMPI_Status_set_elements_x(&status, MPI_BYTE, bytes); }

void ProbingHost::tell(MPI_Status& status, int source, int tag, Bytes bytes) noexcept {
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  set_bytes(status, bytes);
  PMPI_Status_set_cancelled(&status, 0);
}

bool ProbingHost::from_another_node(const MPI_Status& found, MPI_Comm comm) {
  const Network* const network = Network::here();
  return network && network->elsewhere(comm, found.MPI_SOURCE) >= 0;
}

std::optional<engine::Lengths::ProbedLength> ProbingHost::probed_length(const MPI_Status& found, MPI_Comm comm) {
  if (found.MPI_SOURCE == MPI_PROC_NULL) return {};
  const Bytes bytes = bytes_of(found);
  if (bytes == engine::network_descriptor_bytes && from_another_node(found, comm))
    return engine::Lengths::ProbedLength{.kind = engine::Lengths::Kind::unclear, .total = bytes};
  if (!engine::Lengths::possible(bytes)) return {};
  const MpiNode* node = MpiNode::here();
  const int peer = node ? node->peer(comm, found.MPI_SOURCE) : -1;
  if (peer < 0) return {};
  engine::Lengths::ProbedLength seen = node->lengths(peer).probed_length(bytes, found.MPI_TAG);
  if (seen.kind != engine::Lengths::Kind::rendezvous) seen.total = bytes;
  return seen;
}

std::optional<Bytes> ProbingHost::announced(const std::byte* arrived, Bytes length) noexcept {
  const MpiNode* const node = MpiNode::here();
  if (begins_like_network_descriptor(arrived)) return Network::here()->announced(arrived, length);
  return node ? node->announced(arrived, length) : std::nullopt;
}

int ProbingHost::send_to_self(const std::byte* bytes, int length, MPI_Request* request) {
  if (own_ == MPI_COMM_NULL)
    if (const int error = PMPI_Comm_dup(MPI_COMM_SELF, &own_); error != MPI_SUCCESS) return error;
  next_tag_ = (next_tag_ + 1) % 32768;  // MPI_TAG_UB is at least that
  return PMPI_Isend(bytes, length, MPI_BYTE, 0, next_tag_, own_, request);
}

int ProbingHost::match_own(MPI_Message* message) { return PMPI_Mprobe(0, next_tag_, own_, message, MPI_STATUS_IGNORE); }

bool ProbingHost::is_sent(MPI_Request& request) noexcept {
  int complete = 0;
  PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
  return complete != 0;
}

void ProbingHost::let_go(MPI_Request& request) noexcept {
  if (!is_sent(request)) PMPI_Request_free(&request);
}

void ProbingHost::close() noexcept {
  if (own_ != MPI_COMM_NULL) PMPI_Comm_free(&own_);
}

}  // namespace heddle::mpi
