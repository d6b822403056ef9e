// mpi/process/process.hpp: when Heddle wakes up and goes to sleep in a process, and what it is told by its user. Includes
// settings.hpp, traits.hpp.
#pragma once

#include <string>

#include "mpi/process/traits.hpp"
#include "settings/settings.hpp"

namespace heddle::mpi {

/// Before the program's first MPI call of Init's family: is there a host MPI, and is it of our family? If not: says so and
/// ends the process. (An interposer of another family would misread every handle.)
void check_host(bool have_entry_point) noexcept;

/// After MPI_Init, MPI_Init_thread, MPI_Session_init; reads the settings and reports them.
void host_started() noexcept;

/// Before MPI_Finalize, MPI_Session_finalize. `clean_up` is called while Heddle is still awake, if nobody else uses MPI.
void host_stops(void (*clean_up)()) noexcept;

/// Heddle is on. In programs whose MPI_Init did not come to Heddle, the first datatype wakes it.
bool running() noexcept;

/// MPI_Init or the like has come here, or a datatype.
bool has_started() noexcept;

/// As read when Heddle woke up.
const settings::Settings& settings_of_process() noexcept;

/// The MPI library, as a person writes it: "Open MPI v5.0.11".
std::string host_name();
/// "on, built for Open MPI, kernels: avx512".
std::string built_for();
/// Whether this process should speak for all: rank 0, or everybody if there is no world.
bool spokesman();

/// HEDDLE_VERBOSE=1.
bool verbose() noexcept;

}  // namespace heddle::mpi
