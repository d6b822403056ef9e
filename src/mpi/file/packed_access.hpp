// mpi/file/packed_access.hpp: an access of one rank to one piece of a file, from many short pieces
// of memory. Libraries copy these pieces one by one, or hand each of them to the system. Heddle
// packs them, and the library gets one piece of memory.
//
//   if (PackedAccess packed(Access::write); packed.begin(file, {fh, offset, buffer})) {
//     const int result = PMPI_File_write_at(fh, offset, packed.data(), packed.count(), MPI_BYTE, &status);
//     packed.end(result, status);                       // the status was empty before
//   }
#pragma once

#include "mpi/file/file.hpp"
#include "mpi/file/file_call.hpp"
#include "mpi/file/user_memory.hpp"
#include "report/reporting.hpp"
#include "select/choose_file_access.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::mpi {

class PackedAccess {
 public:
  explicit PackedAccess(Access access) noexcept
      : access_(access), reported_(access == Access::write ? "file write" : "file read") {}
  /// Packs the data of a write. False: the library gets the call as it is. Not collective.
  bool begin(const File& file, const FileCall& call);
  /// The library has returned `result`. Unpacks the data of a read.
  /// @param status  Was empty before the library's call: MPICH may return MPI_SUCCESS for a failed
  /// call, too, once a handler of the program has heard of the error.
  void end(int result, const MPI_Status& status);

  [[nodiscard]] std::byte* data() const { return staging_.data(); }
  /// Bytes.
  [[nodiscard]] int count() const { return static_cast<int>(memory_.bytes()); }

 private:
  UserMemory memory_;
  Access access_;
  select::PackedFileAccess facts_;
  threads::StagingBuffer staging_;
  report::ReportedCall reported_;
};

}  // namespace heddle::mpi
