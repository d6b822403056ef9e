// select/choose_one_sided.cpp: the reasons in words.
#include "select/choose_one_sided.hpp"

#include <fmt/format.h>

namespace heddle::select {
namespace {

std::string why_library(const OneSided& access) {
  if (access.bytes <= 0) return "there is nothing to move";
  if (access.origin_in_one_piece && access.target_in_one_piece)
    return fmt::format("{} bytes lie in one piece on both sides: the MPI library copies them as fast", access.bytes);
  const layout::Bytes least = access.apart && access.fenced ? access.least_fenced : access.least;
  if (access.bytes < least && access.apart && access.fenced && access.many_blocks > 0)
    return fmt::format("{} bytes: the MPI library is as fast below {} bytes in fewer than {} blocks", access.bytes, least,
                       access.many_blocks);
  if (access.bytes < least) return fmt::format("{} bytes: the MPI library is as fast below {} bytes", access.bytes, least);
  if (access.fenced) return fmt::format("blocks of {} bytes: the MPI library is as fast", access.mean_block);
  return "only the target reaches its memory quickly, and this epoch has no closing fence";
}

}  // namespace

std::string why(const OneSided& access) {
  const char* const holes = access.origin_in_one_piece   ? "the target"
                            : access.target_in_one_piece ? "the origin"
                                                         : "the origin and the target";
  switch (way(access)) {
    case OneSidedWay::direct:
      return fmt::format("{} bytes with holes at {} take one copy: the target's memory is mapped here", access.bytes, holes);
    case OneSidedWay::across:
      return fmt::format(
          "{} bytes with holes at {}: the system copies up to 1024 blocks at once to or from the target's process",
          access.bytes, holes);
    case OneSidedWay::fenced:
      return fmt::format("{} bytes with holes at {} in blocks of {} bytes: packed{} by the other rank in MPI_Win_fence{}",
                         access.bytes, holes, access.mean_block, access.gets ? "" : ", and unpacked",
                         access.gets ? ", and unpacked there" : "");
    case OneSidedWay::library:
      break;
  }
  return why_library(access);
}

}  // namespace heddle::select
