// mpi/p2p/persistent.cpp
#include "mpi/p2p/persistent.hpp"

namespace heddle::mpi {

int PersistentSend::start() {
  Begun begun;
  if (!comm_.gone())
    begun = begin_send(data_, route_, type_.again(), {to_.rank, to_.tag, comm_.handle()}, mode_, Ends::with_request);
  // No memory, not for Heddle this time, or the communicator is freed: by the host, as it was made.
  const int error = begun.result ? *begun.result : PMPI_Start(&record.handle);
  record.active = error == MPI_SUCCESS;
  record.substituted = begun.result == MPI_SUCCESS;
  record.inner = begun.request;
  operation_ = begun.pending;
  return error;
}

int PersistentSend::finish(MPI_Status& status, int error) noexcept {
  if (!operation_) return error;
  operation_->record.cancelled = record.cancelled;
  const int result = operation_->finish(status, error);
  delete operation_;
  operation_ = nullptr;
  return result;
}

int PersistentReceive::start() {
  int error = MPI_SUCCESS;
  MPI_Message held = MPI_MESSAGE_NULL;
  if (const Done taken = ProbeQueue::any() ? ProbeQueue::of_process().take(from_.rank, from_.tag, comm_, &held) : Done()) {
    if (*taken != MPI_SUCCESS) return *taken;
    if (const std::optional<Origin> origin = ProbeQueue::of_process().origin(held)) operation.from(*origin);
    error = operation.take(&held, &record.inner);
    record.substituted = error == MPI_SUCCESS;
  } else {
    operation.from_host();
    error = PMPI_Start(&record.handle);
  }
  record.active = error == MPI_SUCCESS;
  return error;
}

int PersistentReceive::finish(MPI_Status& status, int error) noexcept {
  operation.record.cancelled = record.cancelled;
  return operation.finish(status, error);
}

}  // namespace heddle::mpi
