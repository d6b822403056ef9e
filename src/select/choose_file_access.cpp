// select/choose_file_access.cpp: the reasons in words.
#include "select/choose_file_access.hpp"

#include <fmt/format.h>

namespace heddle::select {

std::string why(const FileAccess& access) {
  if (!access.fits) return "the arguments of a rank are the MPI library's to judge";
  if (access.bytes <= 0) return "there is nothing to move";
  if (is_independent(access))
    return fmt::format("{} bytes lie in one piece for each rank: each makes the MPI library's independent call", access.bytes);
  if (!access.holes && access.beyond <= 0)
    return fmt::format("{} bytes lie in one piece for each rank: a hint asks for the MPI library's buffers", access.bytes);
  if (access.beyond > 0) return fmt::format("the file ends {} bytes before the last byte that is read", access.beyond);
  if (access.bytes < access.least)
    return fmt::format("{} bytes: the MPI library is as fast below {} bytes", access.bytes, access.least);
  if (carries(access))
    return fmt::format("{} bytes of {} in the file: ranks exchange them, and {} long pieces", access.bytes, access.range,
                       access.writes ? "write" : "read");
  if (access.writes && access.bytes > access.range)
    return fmt::format("{} bytes of {} in the file: ranks write the same bytes", access.bytes, access.range);
  if (access.writes)
    return fmt::format("{} bytes of {} in the file: others may write the rest now", access.bytes, access.range);
  return fmt::format("{} bytes of {} in the file are too few to read all", access.bytes, access.range);
}

std::string why(const PackedFileAccess& access) {
  return fmt::format("{} bytes in blocks of {:.0f} bytes: packed, the MPI library accesses one piece of memory", access.bytes,
                     access.mean_block);
}

}  // namespace heddle::select
