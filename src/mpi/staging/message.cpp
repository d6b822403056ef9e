// mpi/staging/message.cpp: unpacking what has arrived, be it less than there was room for.
#include "mpi/staging/message.hpp"

#include <algorithm>

namespace heddle::mpi {

void Message::unpack(int result, const MPI_Status* status) {
  if (!ours_) return;
  if (result != MPI_SUCCESS) {
    int kind = MPI_SUCCESS;
    if (PMPI_Error_class(result, &kind) != MPI_SUCCESS || kind != MPI_ERR_TRUNCATE) return;
  }
  MPI_Count arrived = 0;
  if (PMPI_Get_elements_x(status, MPI_BYTE, &arrived) != MPI_SUCCESS || arrived <= 0) return;
  if (arrived >= bytes_)
    layout::unpack(type_->layout(), data_.count, const_cast<void*>(data_.address), packed_.data());
  else
    layout::unpack_range(type_->layout(), data_.count, const_cast<void*>(data_.address), 0, arrived, packed_.data());
}

}  // namespace heddle::mpi
