// bench/pack/check.hpp: nothing is timed before it is known to be right.
#pragma once

#include "pack/job.hpp"

namespace heddle::bench::pack {

/// Packs and unpacks both ways; throws std::runtime_error saying what differs: the packed bytes, the data after unpacking them
/// into wiped memory, or a byte that belongs to no block.
void check(const Job& job);

}  // namespace heddle::bench::pack
