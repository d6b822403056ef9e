// multigrid/laplacian.hpp: solves -Δu = f on the unit cube, with u = 0 on its surface, by PETSc's
// multigrid (PCMG). The grid is a DMDA with a seven-point stencil.
//
//   Laplacian problem(101, 3);            // takes PETSc's current options (petsc.hpp: take_way)
//   problem.solve();
//   problem.error();                      // the largest difference to u = sin πx sin πy sin πz
#pragma once

#include <petscdmda.h>
#include <petscksp.h>

#include <string>

namespace multigrid {

class Laplacian {
 public:
  Laplacian(int points, int levels);  ///< Collective; sets everything up.
  ~Laplacian();
  Laplacian(const Laplacian&) = delete;
  Laplacian& operator=(const Laplacian&) = delete;

  void solve();  ///< Begins with zero.
  [[nodiscard]] int iterations() const;
  /// |f - A u| / |f|, computed from the solution.
  [[nodiscard]] double residual();
  /// The largest difference to the exact solution of the differential equation: of order h².
  [[nodiscard]] double error();
  /// A hash of all bits of the solution (FNV-1a of the ranks' FNV-1a), on rank 0: 64 bits in
  /// hexadecimal.
  [[nodiscard]] std::string fingerprint();

 private:
  DM grid_ = nullptr;
  KSP solver_ = nullptr;
  Vec solution_ = nullptr;
};

}  // namespace multigrid
