// tool/build.cpp: how this copy of Heddle was built.
#include "build_information.hpp"  // made by build.cmake
#include "layout/kernel/kernels.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {

Json build() {
  namespace kernel = layout::kernel;
  Json faces = Json::object();
  if (HEDDLE_BUILT_MPICH[0]) faces["mpich"] = "MPICH " HEDDLE_BUILT_MPICH;
  if (HEDDLE_BUILT_OPENMPI[0]) faces["openmpi"] = "Open MPI " HEDDLE_BUILT_OPENMPI;
  if (HEDDLE_BUILT_ABI[0]) faces["abi"] = "the standard ABI, of MPICH " HEDDLE_BUILT_ABI;
  return {{"version", HEDDLE_BUILT_VERSION},
          {"commit", HEDDLE_BUILT_COMMIT},
          {"compiler", HEDDLE_BUILT_COMPILER},
          {"processor", HEDDLE_BUILT_PROCESSOR},
          {"kernels", kernel::name(kernel::best_isa())},
          {"fabric", HEDDLE_BUILT_FABRIC != 0},
          {"built_for", faces}};
}

}  // namespace heddle::tool
