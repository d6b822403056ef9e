// mpi/interposition/interposition.cpp: taking the host's place when this library is loaded.
#include "mpi/interposition/interposition.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/interposition/object.hpp"
#include "mpi/interposition/procedures.hpp"
#include "mpi/interposition/state.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"
#include "settings/files.hpp"

namespace heddle::mpi::interposition {
namespace {

/// Binds names of MPI that the loader would bind at the first call: by then it would find Heddle's.
bool bind_now(const Object& object, bool profiling_alone) {
  bool bound = true;
  object.each_import([&](const char* name, Slot slot) {
    if (!slot.by_stub || !of_mpi(name) || (profiling_alone && !profiling(name))) return;
    if (void* address = dlsym(RTLD_DEFAULT, name)) bound = object.write(slot, address) && bound;
  });
  return bound;
}

/// Points what is bound to the host at Heddle's.
bool redirect(const Object& object, bool but_profiling) {
  bool written = true;
  object.each_import([&](const char* name, Slot slot) {
    if (!of_mpi(name) || (but_profiling && profiling(name))) return;
    const Place* place = state().find(name);
    if (place && *slot.address == place->host) written = object.write(slot, place->ours) && written;
  });
  return written;
}

/// A symbol of the host, and what it shall say.
struct Symbol {
  const ElfW(Sym) * symbol;
  void* ours;
};

/// Remembers where the host's procedures are, and what is to stand there.
std::vector<Symbol> find_places(const Object& host, bool timed) {
  std::vector<Symbol> symbols;
  for (const Procedure& each : procedures()) {
    void* const ours = timed && each.timed ? each.timed : each.ours;
    const std::string names[] = {each.name, std::string("P") + each.name};
    for (const std::string& name : names) {
      const ElfW(Sym)* symbol = host.defined(name.c_str());
      if (!symbol) continue;
      symbols.push_back({symbol, ours});
      state().places.emplace(name, Place{host.address_of(*symbol), ours});
    }
  }
  return symbols;
}

bool take_symbols(const Object& host, const std::vector<Symbol>& symbols) {
  std::vector<const ElfW(Sym)*> all;
  all.reserve(symbols.size());
  for (const Symbol& each : symbols) all.push_back(each.symbol);
  const Object::Writable writable(host, all);
  if (!writable) return false;
  // A symbol's value is an offset from where its object lies; the sum wraps around.
  for (const Symbol& each : symbols)
    const_cast<ElfW(Sym)*>(each.symbol)->st_value = reinterpret_cast<ElfW(Addr)>(each.ours) - host.base();
  return true;
}

Taken take_place(bool timed) {
  const std::vector<Object> objects = loaded_objects();
  const auto holds = [&](const void* address) {
    const Object* found = nullptr;
    for (const Object& object : objects)
      if (object.contains(address)) found = &object;
    return found;
  };
  const Object* const host = holds(reinterpret_cast<const void*>(PMPI_Initialized));
  const Object* const self = holds(reinterpret_cast<const void*>(&take_place));
  if (!host || !self) return Taken::refused;
  if (host->executable()) return Taken::in_program;
  state().path = host->path();

  // Whatever fails, fails before anything is changed; but for the last step.
  if (!bind_now(*self, false) || !bind_now(*host, false)) return Taken::refused;
  const std::vector<Symbol> symbols = find_places(*host, timed);
  for (const Object& object : objects)
    if (object.defined(marker) && !bind_now(object, true)) return Taken::refused;
  if (!take_symbols(*host, symbols)) return Taken::refused;
  bool all = true;
  for (const Object& object : objects)
    if (&object != host && &object != self) all = redirect(object, object.defined(marker) != nullptr) && all;
  return all ? Taken::all : Taken::in_part;
}

constexpr const char* contained =
    "the program contains its MPI library; Heddle can only take the place of a shared one. The program runs without Heddle.";

// A loader that runs this before the C library has begun (glibc, by -z initfirst) hands over the environment; others have set
// environ by then.
[[gnu::constructor]] void at_load(int /*arguments*/, char** /*of_program*/, char** environment) noexcept try {
  if (!PMPI_Initialized) return;  // a shell, a launcher
  const char* const* const variables = environ ? environ : environment;
  const settings::Settings set = settings::read(variables, settings::files_of(variables));
  state().taken = take_place(!set.report.empty() || !set.trace.empty() || !set.explain.empty());
  switch (state().taken) {
    case Taken::all:
    case Taken::no_host:
      return;
    case Taken::refused:
      say("cannot take the place of the MPI library's procedures: the system does not let them be written. The program runs "
          "without Heddle.");
      break;
    case Taken::in_part:  // its MPI_Init may be among them
      say("the system does not let calls of some objects be redirected. They go straight to the MPI library.");
      break;
    case Taken::in_program:
      break;
  }
  if (!set.doctor) return;
  if (state().taken == Taken::in_program) say(contained);
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
  if (has_started() || !first_of_job()) return;
  const settings::Settings set = settings::read(environ, settings::files_of(environ));
  if (set.verbose == 0 && !set.doctor) return;
  const std::string message = std::string(program_invocation_short_name) + ": no MPI_Init came to Heddle, which did nothing " +
                              "there: a program without MPI, or one that contains its MPI library (linked statically).";
  say(message.c_str());
}

/// Says why Heddle was not in effect, if it was not. An MPI library that came later than this one (a module of Python brings
/// its own) has not been seen.
[[gnu::destructor]] void at_end() noexcept try {
  if (state().taken == Taken::all) return say_that_nothing_came();
  if (state().taken != Taken::no_host && state().taken != Taken::in_program) return;
  for (const Object& object : loaded_objects()) {
    const ElfW(Sym)* symbol = object.defined("PMPI_Finalized");
    if (!symbol) continue;
    int over = 0;
    if (reinterpret_cast<int (*)(int*)>(object.address_of(*symbol))(&over) != MPI_SUCCESS || !over) continue;
    say(state().taken == Taken::in_program
            ? contained
            : "the program loaded its MPI library later than Heddle, and ran without it. `heddle run` preloads both.");
    return;
  }
  say_that_nothing_came();
} catch (const std::bad_alloc&) {
  return;
}

}  // namespace

const char* host_path() noexcept { return state().path.c_str(); }

State& state() noexcept {
  static auto* const state = new State;
  return *state;
}

}  // namespace heddle::mpi::interposition

extern "C" {
#pragma GCC visibility push(default)
void* heddle_seen_host(const char* name);
const char* heddle_seen_procedure(int i);
#pragma GCC visibility pop

/// The host's procedure of that name, behind Heddle. Null: none, or not one that Heddle has taken the place of.
void* heddle_seen_host(const char* name) {
  const auto* place = heddle::mpi::interposition::state().find(name);
  return place ? place->host : nullptr;
}

/// The procedures that Heddle carries out where the host has them; null: no more.
const char* heddle_seen_procedure(int i) {
  const auto all = heddle::mpi::interposition::procedures();
  return i >= 0 && static_cast<std::size_t>(i) < all.size() ? all[static_cast<std::size_t>(i)].name : nullptr;
}
}
