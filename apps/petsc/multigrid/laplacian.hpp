// multigrid/laplacian.hpp: -Δu = f on the unit cube, u = 0 on its surface, seven-point stencil on a DMDA; PCMG solves.
//
//   Laplacian problem(101, 3);            // as PETSc's options say just now (petsc.hpp: take_way)
//   problem.solve();
//   problem.error();                      // against u = sin πx sin πy sin πz, the largest
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

  void solve();  ///< From zero.
  [[nodiscard]] int iterations() const;
  /// |f - A u| / |f|, from the solution.
  [[nodiscard]] double residual();
  /// The largest difference to the exact solution of the differential equation: of order h².
  [[nodiscard]] double error();
  /// 64 bits in hexadecimal of all bits of the solution, on rank 0 (FNV-1a of the ranks' FNV-1a).
  [[nodiscard]] std::string fingerprint();

 private:
  DM grid_ = nullptr;
  KSP solver_ = nullptr;
  Vec solution_ = nullptr;
};

}  // namespace multigrid
