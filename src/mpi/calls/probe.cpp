// mpi/calls/probe.cpp: MPI_Probe, MPI_Iprobe, MPI_Mprobe, MPI_Improbe. Of a rendezvous, they tell
// the size of the message.
#include "mpi/p2p/host_probe.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/requests/freed.hpp"

using heddle::mpi::messages_come;
using heddle::mpi::ProbeQueue;
using heddle::mpi::requests::after_progress;

namespace {

/// Tells the peers that this process probes. False: no probe can come across a descriptor.
bool announces_probing() noexcept {
  if (heddle::mpi::MpiNode* node = heddle::mpi::MpiNode::here()) node->probes();
  if (heddle::mpi::Network* network = heddle::mpi::Network::here()) network->set_probes();
  return messages_come();
}

}  // namespace

extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (!announces_probing()) return after_progress(PMPI_Probe(source, tag, comm, status));
  int flag = 0;
  return after_progress(ProbeQueue::of_process().probe({source, tag, comm}, true, &flag, status));
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  if (!announces_probing()) return after_progress(PMPI_Iprobe(source, tag, comm, flag, status));
  return after_progress(ProbeQueue::of_process().probe({source, tag, comm}, false, flag, status));
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  if (!messages_come()) return after_progress(PMPI_Mprobe(source, tag, comm, message, status));
  int flag = 0;
  return after_progress(ProbeQueue::of_process().match({source, tag, comm}, true, &flag, message, status));
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!messages_come()) return after_progress(PMPI_Improbe(source, tag, comm, flag, message, status));
  return after_progress(ProbeQueue::of_process().match({source, tag, comm}, false, flag, message, status));
}

}  // extern "C"
