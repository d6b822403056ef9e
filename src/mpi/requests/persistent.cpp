// mpi/requests/persistent.cpp
#include "mpi/requests/persistent.hpp"

namespace heddle::mpi {

int PersistentSend::start() {
  BegunSend begun;
  if (!comm_.gone()) begun = begin_send(mode_, data_, type_.again(), dest_, tag_, comm_.handle());
  // No memory, or the communicator is freed: by the host, as it was made.
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

}  // namespace heddle::mpi
