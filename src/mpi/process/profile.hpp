// mpi/process/profile.hpp: what moving bytes costs on this machine (HEDDLE_PROFILE). Includes select/profile_file.hpp.
#pragma once

#include "select/profile_file.hpp"

namespace heddle::mpi {

/// Read once. Throws std::bad_alloc.
const select::Loaded& profile_of_machine();

}  // namespace heddle::mpi
