// interposition/outcome.hpp: the message to the user if Heddle has not taken the host's place. One
// process of a job writes it, even without an MPI library.
//
//   if (first_of_job()) say(outcome(taken()));
#pragma once

#include "interposition/interposition.hpp"

namespace heddle::interposition {

/// A sentence with the reason why the program runs without Heddle, or why some calls bypass it.
/// Null: there is no such reason.
/// @param taken  Pass no_host only at the end of a program that has an MPI library after all.
const char* outcome(Taken taken) noexcept;

/// True if an MPI library of this process is finalized (MPI_Finalized). It may have been loaded
/// later than Heddle, for example by a Python module. Throws std::bad_alloc.
bool library_is_over();

/// True in the first process of a job, by the launcher's numbers. Only this process writes
/// messages.
bool first_of_job() noexcept;

}  // namespace heddle::interposition
