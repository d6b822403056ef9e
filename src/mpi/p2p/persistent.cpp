// mpi/p2p/persistent.cpp: the starts of persistent sends and receives, and the ends of these
// starts.
#include "mpi/p2p/persistent.hpp"

#include "mpi/p2p/landing.hpp"
#include "mpi/p2p/network_receive.hpp"

namespace heddle::mpi {

int PersistentSend::start() {
  Begun begun;
  if (!starts_by_host())
    begun = begin_send(data_, route_, type_.again(), {to_.rank, to_.tag, comm_.handle()}, mode_, Ends::with_request,
                       Probes::possible, memory_);
  if (begun.lacks_memory) return raise_new(MPI_ERR_NO_MEM, comm_);
  // If Heddle does not send it this time, or the communicator is freed, the host starts its own
  // request.
  if (!begun.result) {
    const int error = PMPI_Start(&record.handle);
    if (error == MPI_SUCCESS) started_by_host();
    return error;
  }
  record.active = record.substituted = begun.under_way();
  record.inner = begun.request;
  operation_ = begun.pending;
  return *begun.result;
}

int PersistentSend::finish(MPI_Status& status, int error) noexcept {
  if (!operation_) return error;
  const int result = operation_->finish(status, error);
  delete operation_;
  operation_ = nullptr;
  return result;
}

int PersistentReceive::start() {
  MPI_Message held = MPI_MESSAGE_NULL;
  if (const Done taken = ProbeQueue::take_for(from_, comm_, &held))
    return *taken == MPI_SUCCESS ? start_own(begin_receive(data_, by_entry(), Expected(&held), memory_)) : *taken;
  if (!comm_.gone() && NetworkReceive::possible(data_, route_, from_.rank, comm_.handle()))
    return start_own(begin_receive(data_, route_, Envelope{from_.rank, from_.tag, comm_.handle()}, memory_));
  const int error = PMPI_Start(&record.handle);
  if (error == MPI_SUCCESS) started_by_host();
  return error;
}

bool PersistentReceive::is_short() const {
  const Bytes size = route_.type ? route_.type->size() : predefined(data_.type).size;
  return route_.protocol == Protocol::rendezvous && layout::times(data_.count, size) <= Landing::longest;
}

int PersistentReceive::start_own(const Begun& begun) {
  if (begun.lacks_memory) return raise_new(MPI_ERR_NO_MEM, comm_);
  record.active = record.substituted = begun.under_way();
  record.inner = begun.request;
  started_ = begun.pending;
  return *begun.result;
}

int PersistentReceive::finish(MPI_Status& status, int error) noexcept {
  Pending& one = started_ ? *started_ : operation;
  one.record.cancelled = record.cancelled;
  const int result = one.finish(status, error);
  delete std::exchange(started_, nullptr);
  return result;
}

}  // namespace heddle::mpi
