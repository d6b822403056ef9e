// transport/fabric/budget.hpp: a limit on the memory that is registered at a time.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "layout/bytes.hpp"

namespace heddle::transport::fabric {

using layout::Bytes;

struct Budget {
  Bytes limit = std::numeric_limits<Bytes>::max();
  Bytes used = 0;

  bool take(Bytes bytes) noexcept {
    if (bytes > limit - used) return false;
    used += bytes;
    return true;
  }
  void give(Bytes bytes) noexcept { used -= bytes; }
};

/// The limit of `ulimit -l`, less an eighth for the provider's own queues.
inline Bytes lockable() noexcept {
  rlimit limit{};
  constexpr Bytes endless = std::numeric_limits<Bytes>::max();
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return endless;
  const auto bytes = static_cast<Bytes>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(endless)));
  return bytes - bytes / 8;
}

}  // namespace heddle::transport::fabric
