// mpi/file/packed_access.cpp: packs before a write, unpacks after a read. A read beyond the end of
// the file is the host's.
#include "mpi/file/packed_access.hpp"

#include <algorithm>
#include <limits>

#include "mpi/process/process.hpp"

namespace heddle::mpi {
namespace {

/// A read that meets the end of the file leaves the rest of the user's memory as it is. Packed data
/// cannot do so.
bool lies_in_file(const File& file, const FileCall& call, Bytes bytes) {
  MPI_Offset at = 0;
  MPI_Offset size = 0;
  Bytes from = 0;
  if (call.offset)
    at = *call.offset;
  else if (PMPI_File_get_position(call.fh, &at) != MPI_SUCCESS)
    return false;
  return at >= 0 && !__builtin_mul_overflow(Bytes{at}, file.etype(), &from) &&
         PMPI_File_get_size(call.fh, &size) == MPI_SUCCESS && from <= size - file.view().displacement() &&
         bytes <= size - file.view().displacement() - from;
}

}  // namespace

bool PackedAccess::begin(const File& file, const FileCall& call) {
  if (!file.shows_one_piece() || !memory_.look(call.buffer) || memory_.in_one_piece()) return false;
  facts_ = {.bytes = memory_.bytes(),
            .mean_block = memory_.mean_block(),
            .below = file.hints().all ? std::numeric_limits<Bytes>::max() : traits().slow_to_file_below};
  if (!packs(facts_) || (access_ == Access::read && !lies_in_file(file, call, facts_.bytes)) || !staging_.reserve(facts_.bytes))
    return false;
  if (access_ == Access::write) {
    const report::Stopwatch watch(reported_.times(), &report::Times::pack);
    memory_.pack(0, facts_.bytes, data());
  }
  return true;
}

void PackedAccess::end(int result, const MPI_Status& status) {
  int moved = 0;
  if (result != MPI_SUCCESS || PMPI_Get_count(&status, MPI_BYTE, &moved) != MPI_SUCCESS || moved <= 0) return;
  moved = std::min(moved, count());
  if (access_ == Access::read) {
    const report::Stopwatch watch(reported_.times(), &report::Times::copy);
    memory_.unpack(0, moved, data());
  }
  reported_.end(memory_.layout(), "packed", moved, [this] { return why(facts_); });
}

}  // namespace heddle::mpi
