// bench/pack/check.hpp: nothing is timed before it is known to be right.
#pragma once

#include "pack/job.hpp"

namespace heddle::bench::pack {

/// Packs and unpacks both ways. Throws std::runtime_error if the packed bytes differ, if the data unpacked into wiped memory
/// differ, or if a byte changes that belongs to no block.
void check(const Job& job);

}  // namespace heddle::bench::pack
