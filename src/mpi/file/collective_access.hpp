// mpi/file/collective_access.hpp: MPI_File_write_all and MPI_File_read_all through views with
// holes. The host gets the call in all other cases, and also if a step fails. It then raises the
// error, or carries the access out from the beginning.
//
//   if (File* const file = files::table.find(fh); !file || !carry<Access::write>(*file, {fh, buffer})) return
//   PMPI_File_write_all(...);
#pragma once

#include <optional>

#include "mpi/file/file.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

enum class Access { read, write };

struct CollectiveAccess {
  MPI_File fh;
  std::optional<MPI_Offset> offset;  ///< Counts etypes. Nothing: the individual file pointer.
  Buffer buffer;
};

/// Collective. Gives the bytes that this rank has moved. Nothing: the host gets the call, on all
/// ranks.
template <Access access>
std::optional<Bytes> carry(File& file, const CollectiveAccess& call);

}  // namespace heddle::mpi
