// mpi/file/collective_access.hpp: MPI_File_write_all and MPI_File_read_all through views with
// holes. The host gets the call in all other cases. It also gets the call if a step fails, and then
// raises the error, or carries out the access from the beginning.
//
//   File* const file = files::table.find(fh);
//   if (!file || !carry<Access::write>(*file, {fh, {}, buffer})) return PMPI_File_write_all(...);
#pragma once

#include <optional>

#include "mpi/file/file.hpp"
#include "mpi/file/file_call.hpp"

namespace heddle::mpi {

/// Collective. Returns the bytes that this rank has moved. Nothing: the host gets the call, on all
/// ranks.
template <Access access>
std::optional<Bytes> carry(File& file, const FileCall& call);

}  // namespace heddle::mpi
