// select/choose_one_sided.cpp: the reasons in words.
#include "select/choose_one_sided.hpp"

#include <fmt/format.h>

namespace heddle::select {

std::string why(const OneSided& access) {
  if (access.bytes <= 0) return "there is nothing to move";
  if (access.origin_in_one_piece && access.target_in_one_piece)
    return fmt::format("{} bytes lie in one piece on both sides: the MPI library copies them as fast", access.bytes);
  if (!carries(access)) return fmt::format("{} bytes: the MPI library is as fast below {} bytes", access.bytes, access.least);
  const char* const holes = access.origin_in_one_piece   ? "the target"
                            : access.target_in_one_piece ? "the origin"
                                                         : "the origin and the target";
  return access.apart
             ? fmt::format(
                   "{} bytes with holes at {}: the system copies up to 1024 blocks at once to or from the "
                   "target's process",
                   access.bytes, holes)
             : fmt::format("{} bytes with holes at {} take one copy: the target's memory is mapped here", access.bytes, holes);
}

}  // namespace heddle::select
