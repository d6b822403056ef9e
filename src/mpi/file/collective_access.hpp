// mpi/file/collective_access.hpp: collective accesses to files. Through views with holes, the ranks
// exchange their data and access long pieces. If the bytes of each rank are one piece of the file,
// each accesses its own, and the ranks need not tell each other more. The host gets the call in all
// other cases. It also gets the call if a step fails, and then raises the error, or carries out the
// access from the beginning.
//
//   const CollectiveAccess done = carry<Access::write>(*file, {fh, {}, buffer});
//   if (done.by == CollectiveAccess::independent) return PMPI_File_write(...);
//   if (done.by == CollectiveAccess::host) return PMPI_File_write_all(...);
#pragma once

#include "mpi/file/file.hpp"
#include "mpi/file/file_call.hpp"

namespace heddle::mpi {

/// All ranks find the same `by`.
struct CollectiveAccess {
  enum By : std::uint8_t {
    host,         ///< The host gets the call.
    independent,  ///< The independent call of the same arguments does the same now.
    heddle,       ///< The access is over.
  };
  By by = host;
  Bytes bytes = 0;  ///< That Heddle has moved for this rank.
};

enum class Form { whole, split };

/// Collective.
/// @param form  split: no independent call takes the place of this one.
template <Access access>
CollectiveAccess carry(File& file, const FileCall& call, Form form = Form::whole);

}  // namespace heddle::mpi
