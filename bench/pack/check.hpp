// bench/pack/check.hpp: checks a case before it is timed.
#pragma once

#include "pack/job.hpp"

namespace heddle::bench::pack {

/// Packs and unpacks by MPI_ and by PMPI_ names. Throws std::runtime_error if the packed bytes
/// differ, if the data unpacked into wiped memory differ, or if a byte outside all blocks changes.
void check(const Job& job);

}  // namespace heddle::bench::pack
