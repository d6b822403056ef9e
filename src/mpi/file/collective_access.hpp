// mpi/file/collective_access.hpp: MPI_File_write_all and MPI_File_read_all through views with
// holes. The host gets the call in all other cases. It also gets the call if a step fails, and then
// raises the error, or carries out the access from the beginning.
//
//   File* const file = files::table.find(fh);
//   if (!file || !carry<Access::write>(*file, {fh, {}, buffer})) return PMPI_File_write_all(...);
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

/// Collective. Returns the bytes that this rank has moved. Nothing: the host gets the call, on all
/// ranks.
template <Access access>
std::optional<Bytes> carry(File& file, const CollectiveAccess& call);

}  // namespace heddle::mpi
