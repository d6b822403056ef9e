// mpi/file/file_call.hpp: the arguments of a call that accesses a file.
#pragma once

#include <optional>

#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

enum class Access { read, write };

struct FileCall {
  MPI_File fh;
  std::optional<MPI_Offset> offset;  ///< Counts etypes. Nothing: the individual file pointer.
  Buffer buffer;
};

}  // namespace heddle::mpi
