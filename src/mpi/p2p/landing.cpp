// mpi/p2p/landing.cpp: the end of a landing whose message may be a descriptor.
#include "mpi/p2p/landing.hpp"

#include "mpi/requests/status_of.hpp"

namespace heddle::mpi {

HEDDLE_READ_BY_EVERY_CALL constinit Landing* Landing::unused_ = nullptr;

int Landing::finish(MPI_Status& status, int error) noexcept {
  if (record.cancelled && is_cancelled(status)) return error;
  return type_ ? complete_receive(error, data_, type_, Sender(comm_), &status)
               : complete_receive(error, data_, Sender(comm_), &status);
}

const void* Landing::lands() const noexcept {
  const Bytes piece = type_ ? type_->first_piece() : layout::times(data_.count, predefined(data_.type).size);
  if (piece < descriptor_bytes) return nullptr;
  return static_cast<const std::byte*>(data_.address) + (type_ ? type_->first_byte() : 0);
}

}  // namespace heddle::mpi
