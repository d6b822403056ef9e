// mpi/lifecycle/explain.hpp: HEDDLE_EXPLAIN: rank 0 says what heddle explain says of datatypes as the program uses them.
// Includes nothing of Heddle.
#pragma once

namespace heddle::mpi {

/// After start_reporting(). Nothing, if HEDDLE_EXPLAIN is not set, and on all ranks but the first.
void start_explaining() noexcept;
/// Before finish_reporting(). Says which names nothing had.
void finish_explaining() noexcept;

}  // namespace heddle::mpi
