// petsc/petsc.hpp: initializes and finalizes PETSc, and selects its way of communication.
//
//   const Petsc petsc;                      // instead of MPI_Init and MPI_Finalize
//   take_way(Way::neighbour);               // for objects created from now on
//   check(VecCreate(PETSC_COMM_WORLD, &x)); // an error ends the job, with PETSc's own words
#pragma once

#include <petscsys.h>

namespace apps {

inline void check(PetscErrorCode code) { PetscCallAbort(PETSC_COMM_WORLD, code); }

class Petsc {
 public:
  Petsc() { check(PetscInitializeNoArguments()); }
  ~Petsc() { check(PetscFinalize()); }
  Petsc(const Petsc&) = delete;
  Petsc& operator=(const Petsc&) = delete;
};

/// basic: PETSc's default. It packs data itself, and sends persistent point-to-point messages.
/// neighbour: MPI_(I)neighbor_alltoallv.
enum class Way { basic, neighbour };

inline void take_way(Way way) { check(PetscOptionsSetValue(nullptr, "-sf_type", way == Way::basic ? "basic" : "neighbor")); }

}  // namespace apps
