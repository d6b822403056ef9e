// bench/files/file.hpp: a file of all ranks, opened for each way, and a rank's row block in it. It
// is removed with the object.
//
//   File file{"/dev/shm/heddle-bench-files", shape, has_view, block};
//   must(PMPI_File_write_at_all(file.host(), ...));
//   file.read(piece);   // this rank's row block
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "common/memory.hpp"
#include "files/shape.hpp"

namespace heddle::bench::files {

/// Throws std::runtime_error with MPI's words for an error.
void must(int code);

/// The rows of an array that a rank accesses if all ranks divide the array into contiguous pieces.
struct RowBlock {
  long first, last;    ///< Indices of dimension 0.
  long start, length;  ///< In words.
  RowBlock(const Shape& shape, int rank, int ranks);
};

class File {
 public:
  /// Collective over MPI_COMM_WORLD.
  File(std::string name, const Shape& shape, bool view, const RowBlock& block);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] MPI_File host() const { return host_; }              ///< Opened by PMPI_ names.
  [[nodiscard]] MPI_File interposed() const { return interposed_; }  ///< Opened by MPI_ names.
  [[nodiscard]] MPI_File flat() const { return flat_; }              ///< Opened by PMPI_ names, and without a view.

  /// System calls for this rank's row block. They throw std::runtime_error.
  void write(const Word* from) const;
  void read(Word* to) const;

 private:
  std::string name_;
  RowBlock block_;
  int file_ = -1;
  MPI_File host_ = MPI_FILE_NULL, interposed_ = MPI_FILE_NULL, flat_ = MPI_FILE_NULL;
};

}  // namespace heddle::bench::files
