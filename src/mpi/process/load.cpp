// mpi/process/load.cpp: when this library is loaded, it takes the host's place; at the end it says why it did not.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "interposition/interposition.hpp"
#include "interposition/object.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "settings/files.hpp"

namespace heddle::mpi {
namespace {

constexpr const char* contained =
    "the program contains its MPI library; Heddle can only take the place of a shared one. The program runs without Heddle.";

// A loader that runs this before the C library has begun (glibc, by -z initfirst) hands over the environment; others have set
// environ by then.
[[gnu::constructor]] void at_load(int /*arguments*/, char** /*of_program*/, char** environment) noexcept try {
  if (!PMPI_Initialized) return;  // a shell, a launcher
  const char* const* const variables = environ ? environ : environment;
  const settings::Settings set = settings::read(variables, settings::files_of(variables));
  const bool timed = !set.report.empty() || !set.trace.empty() || !set.explain.empty();
  const interposition::Taken taken = interposition::take_place(reinterpret_cast<const void*>(PMPI_Initialized), timed);
  switch (taken) {
    case interposition::Taken::all:
    case interposition::Taken::no_host:
      return;
    case interposition::Taken::refused:
      say("cannot take the place of the MPI library's procedures: the system does not let them be written. The program runs "
          "without Heddle.");
      break;
    case interposition::Taken::in_part:  // its MPI_Init may be among them
      say("the system does not let calls of some objects be redirected. They go straight to the MPI library.");
      break;
    case interposition::Taken::in_program:
      break;
  }
  if (!set.doctor) return;
  if (taken == interposition::Taken::in_program) say(contained);
  end_before_the_program();  // its MPI_Init does not come to Heddle
} catch (const std::bad_alloc&) {
  say("no memory to take the place of the MPI library's procedures. The program runs without Heddle.");
}

/// As launchers number a job's processes: one of them speaks.
bool first_of_job() {
  for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return std::strcmp(rank, "0") == 0;
  return true;
}

/// With HEDDLE_VERBOSE=1: a user who waits for Heddle's words is to get some.
void say_that_nothing_came() {
  if (process.has_started() || !first_of_job()) return;
  const settings::Settings set = settings::read(environ, settings::files_of(environ));
  if (set.verbose == 0 && !set.doctor) return;
  const std::string message = std::string(program_invocation_short_name) + ": no MPI_Init came to Heddle, which did nothing " +
                              "there: a program without MPI, or one that contains its MPI library (linked statically).";
  say(message.c_str());
}

/// Says why Heddle was not in effect, if it was not. An MPI library that came later than this one (a module of Python brings
/// its own) has not been seen.
[[gnu::destructor]] void at_end() noexcept try {
  const interposition::Taken taken = interposition::taken();
  if (taken == interposition::Taken::all) return say_that_nothing_came();
  if (taken != interposition::Taken::no_host && taken != interposition::Taken::in_program) return;
  for (const interposition::Object& object : interposition::loaded_objects()) {
    const ElfW(Sym)* symbol = object.defined("PMPI_Finalized");
    if (!symbol) continue;
    int over = 0;
    if (reinterpret_cast<int (*)(int*)>(object.address_of(*symbol))(&over) != MPI_SUCCESS || !over) continue;
    say(taken == interposition::Taken::in_program
            ? contained
            : "the program loaded its MPI library later than Heddle, and ran without it. `heddle run` preloads both.");
    return;
  }
  say_that_nothing_came();
} catch (const std::bad_alloc&) {
  return;
}

}  // namespace
}  // namespace heddle::mpi
