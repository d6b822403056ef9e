// interposition/outcome.hpp: what a user is told when Heddle has not taken the host's place, and
// which process of a job tells it where there is no MPI to ask.
//
//   if (first_of_job()) say(outcome(taken()));
#pragma once

#include "interposition/interposition.hpp"

namespace heddle::interposition {

/// A sentence: why the program runs without Heddle, or what does not come to it. Null: nothing is missing.
/// @param taken  no_host: at the end of a program that has an MPI library after all.
const char* outcome(Taken taken) noexcept;

/// Whether an MPI library of this process is over (MPI_Finalized). It may have come later than Heddle: a module of Python
/// brings its own. Throws std::bad_alloc.
bool library_is_over();

/// As launchers number a job's processes: one of them speaks.
bool first_of_job() noexcept;

}  // namespace heddle::interposition
