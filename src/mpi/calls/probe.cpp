// mpi/calls/probe.cpp: MPI_Probe, MPI_Iprobe, MPI_Mprobe, MPI_Improbe: a rendezvous has the size of the message.
#include "mpi/node/node.hpp"
#include "mpi/p2p/probe_queue.hpp"

using heddle::mpi::Node;
using heddle::mpi::ProbeQueue;

extern "C" {

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  Node* node = Node::here();
  if (!node) return PMPI_Probe(source, tag, comm, status);
  node->probes();
  int flag = 0;
  return ProbeQueue::of_process().probe(source, tag, comm, true, &flag, status);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  Node* node = Node::here();
  if (!node) return PMPI_Iprobe(source, tag, comm, flag, status);
  node->probes();
  return ProbeQueue::of_process().probe(source, tag, comm, false, flag, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  if (!Node::here()) return PMPI_Mprobe(source, tag, comm, message, status);
  int flag = 0;
  return ProbeQueue::of_process().match(source, tag, comm, true, &flag, message, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
  if (!Node::here()) return PMPI_Improbe(source, tag, comm, flag, message, status);
  return ProbeQueue::of_process().match(source, tag, comm, false, flag, message, status);
}

}  // extern "C"
