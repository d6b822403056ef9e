// select/host_name.hpp: the host in a few words, and its family, from the text of
// MPI_Get_library_version. Pure.
//
//   host_name("Open MPI v5.0.11, package: Debian OpenMPI, ...")     "Open MPI v5.0.11"
//   host_of("Open MPI v5.0.11")                                     Host::openmpi
#pragma once

#include <string>
#include <string_view>

#include "select/host_traits.hpp"

namespace heddle::select {

/// The first words of the text: up to a comma or the end of the line, with one space between words.
std::string host_name(std::string_view version);

/// Every library except Open MPI counts as a relative of MPICH.
Host host_of(std::string_view name) noexcept;

}  // namespace heddle::select
