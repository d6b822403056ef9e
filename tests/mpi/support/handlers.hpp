// Error handlers of the program that return.
#pragma once

#include "support/host.hpp"

namespace heddle::test {

/// The result of a call after a handler of the program has got `error` and returned. MPICH 5.0.2
/// then returns MPI_SUCCESS.
constexpr int after_handler([[maybe_unused]] int error) {
#if defined(OPEN_MPI)
  return error;
#else
  return MPI_SUCCESS;
#endif
}

}  // namespace heddle::test
