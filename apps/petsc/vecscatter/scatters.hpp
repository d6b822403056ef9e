// vecscatter/scatters.hpp: four ways to scatter a vector: two of PETSc, and two with datatypes, in
// one call or peer by peer.
#pragma once

#include <petscvec.h>

#include <memory>
#include <string>
#include <vector>

#include "pattern.hpp"

namespace vecscatter {

class Scatter {
 public:
  virtual ~Scatter() = default;
  virtual void run() = 0;
};

constexpr const char* ways[] = {"petsc", "petsc neighbour", "alltoallw", "round-robin"};

/// Makes a scatter from `x` to `y`. Collective. The ways are PETSc's default, PETSc's neighbourhood
/// collectives, and MPI_Alltoallw with a datatype for each peer. "round-robin" exchanges with one
/// peer after another, even without data, as MPI_Alltoallw did before the paper.
std::unique_ptr<Scatter> make_scatter(const std::string& way, const Pattern& pattern, Vec x, Vec y);

}  // namespace vecscatter
