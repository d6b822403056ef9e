// mpi/process/load.cpp: takes the host's place when this library is loaded. If that fails, it says
// why at the end of the process.
#include <unistd.h>

#include <cerrno>
#include <new>
#include <string>

#include "interposition/interposition.hpp"
#include "interposition/outcome.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "settings/files.hpp"

// A program built with ThreadSanitizer defines this. The sanitizer's malloc works only after the
// call, and the sanitizer makes the call itself in a constructor that runs after this library's.
extern "C" [[gnu::weak]] void __tsan_init();  // NOLINT(bugprone-reserved-identifier, readability-identifier-naming)

namespace heddle::mpi {
namespace {

// glibc runs this before the C library has begun (-z initfirst), and hands over the environment.
// Other loaders have set environ by then.
[[gnu::constructor]] void at_load(int /*arguments*/, char** /*of_program*/, char** environment) noexcept try {
  if (!PMPI_Initialized) return;  // a shell, a launcher
  if (__tsan_init) __tsan_init();
  const char* const* const variables = environ ? environ : environment;
  const settings::Settings set = settings::read(variables, settings::files_of(variables));
  const bool timed = !set.report.empty() || !set.trace.empty() || !set.explain.empty() || set.log != settings::Log::off;
  const interposition::Taken taken = interposition::take_place(reinterpret_cast<const void*>(PMPI_Initialized), timed);
  if (taken == interposition::Taken::all || taken == interposition::Taken::no_host) return;
  if (set.doctor || taken != interposition::Taken::in_program) say(interposition::outcome(taken));
  if (set.doctor) end_before_the_program();  // its MPI_Init does not come to Heddle
} catch (const std::bad_alloc&) {
  say("no memory to take the place of the MPI library's procedures. The program runs without Heddle.");
}

/// Tells users of HEDDLE_VERBOSE=1 and `heddle doctor` that no MPI_Init came to Heddle.
void say_that_nothing_came() {
  if (process.has_started() || !interposition::first_of_job()) return;
  const settings::Settings set = settings::read(environ, settings::files_of(environ));
  if (set.verbose == 0 && !set.doctor) return;
  const std::string message = std::string(program_invocation_short_name) + ": no MPI_Init came to Heddle, which did nothing " +
                              "there: a program without MPI, or one that contains its MPI library (linked statically).";
  say(message.c_str());
}

/// Says why Heddle was not in effect, if it was not.
[[gnu::destructor]] void at_end() noexcept try {
  const interposition::Taken taken = interposition::taken();
  if (taken == interposition::Taken::all) return say_that_nothing_came();
  if (taken != interposition::Taken::no_host && taken != interposition::Taken::in_program) return;
  if (interposition::library_is_over()) return say(interposition::outcome(taken));
  say_that_nothing_came();
} catch (const std::bad_alloc&) {
  return;
}

}  // namespace
}  // namespace heddle::mpi
