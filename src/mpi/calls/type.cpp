// mpi/calls/type.cpp: datatypes become known when they are committed or duplicated.
#include "mpi/requests/completion.hpp"
#include "mpi/types/registry.hpp"
#include "report/reporting.hpp"

extern "C" {

int MPI_Type_commit(MPI_Datatype* datatype) {
  const int result = PMPI_Type_commit(datatype);
  heddle::report::tell_of_new_handle();
  if (result == MPI_SUCCESS && datatype && !heddle::mpi::committed(*datatype)) return heddle::mpi::requests::no_memory();
  return result;
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const int result = PMPI_Type_dup(oldtype, newtype);
  heddle::report::tell_of_new_handle();
  if (result == MPI_SUCCESS && newtype && !heddle::mpi::duplicated(oldtype, *newtype))
    return heddle::mpi::requests::no_memory();
  return result;
}

}  // extern "C"
