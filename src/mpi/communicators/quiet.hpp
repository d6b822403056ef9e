// mpi/communicators/quiet.hpp: for the length of a block, errors on a communicator of the program's are returned to Heddle, and
// its error handler does not hear of them. Includes known.hpp.
//
//   {
//     const Quiet quiet(comm);
//     error = PMPI_Wait(&request, &status);
//   }
//   return raise_new(error, MPI_SUCCESS, comm);  // once, where the program may throw
#pragma once

#include "mpi/communicators/known.hpp"

namespace heddle::mpi {

class Quiet {
 public:
  explicit Quiet(MPI_Comm comm) : comm_(communicators::heard_on(comm)) {
    known_ = PMPI_Comm_get_errhandler(comm_, &before_) == MPI_SUCCESS &&
             PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN) == MPI_SUCCESS;
  }
  /// Of a communicator that the program has freed nothing can be changed.
  explicit Quiet(const communicators::Hold& comm) : Quiet(comm.gone() ? MPI_COMM_SELF : comm.handle()) {}
  ~Quiet() {
    if (!known_) return;
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  bool known_ = false;
};

}  // namespace heddle::mpi
