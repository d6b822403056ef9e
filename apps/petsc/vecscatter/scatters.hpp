// vecscatter/scatters.hpp: four ways to scatter a vector: two of PETSc's, and by datatypes, in one call or peer by peer.
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

/// From `x` to `y`, by the way of this name: PETSc's default; its neighbourhood collectives; MPI_Alltoallw with a datatype for
/// each peer; the same types peer after peer, with those who get nothing, too, as MPI_Alltoallw was done before the paper.
/// Collective.
std::unique_ptr<Scatter> make_scatter(const std::string& way, const Pattern& pattern, Vec x, Vec y);

}  // namespace vecscatter
