// mpi/lifecycle/names.hpp: what reports and explanations call the program's handles. Includes threads/, process/, types/.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "mpi/process/process.hpp"
#include "mpi/process/traits.hpp"
#include "mpi/types/handles.hpp"
#include "threads/table.hpp"

namespace heddle::mpi {

// Named apart: MPICH's handles are all of one type.

/// MPI_Type_get_name's; empty: it has none, or one of Open MPI's own for what MPI_Type_create_resized and MPI_Type_dup make.
inline std::string name_of_datatype(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  if (PMPI_Type_get_name(type, name.data(), &length) != MPI_SUCCESS) return {};
  const std::string_view said(name.data());
  if (traits().host == Host::openmpi && (said == "Dup" || said.starts_with("Dup "))) return {};
  return std::string(said);
}

/// MPI_Comm_get_name's; empty: it has none.
inline std::string name_of_communicator(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  return PMPI_Comm_get_name(comm, name.data(), &length) == MPI_SUCCESS ? std::string(name.data()) : std::string();
}

/// Whether an argument is a datatype, as far as can be seen. On ranks of which a collective asks none it may be anything, and
/// the MPI library must not be asked about it.
inline bool means_datatype(MPI_Datatype type) noexcept {
  return type != MPI_DATATYPE_NULL && (!running() || table.find(type) || predefined(type).size > 0);
}

}  // namespace heddle::mpi
