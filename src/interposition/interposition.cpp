// interposition/interposition.cpp: puts Heddle in the host's place.
#include "interposition/interposition.hpp"

#include <dlfcn.h>

#include <string>
#include <vector>

#include "interposition/object.hpp"
#include "interposition/procedures.hpp"
#include "interposition/state.hpp"

namespace heddle::interposition {
namespace {

/// Binds names of MPI now. The loader would bind them at the first call, to Heddle's procedures.
bool bind_now(const Object& object, bool profiling_alone) {
  bool bound = true;
  object.each_import([&](const char* name, Slot slot) {
    if (!slot.by_stub || !of_mpi(name) || (profiling_alone && !profiling(name))) return;
    if (void* address = dlsym(RTLD_DEFAULT, name)) bound = object.write(slot, address) && bound;
  });
  return bound;
}

/// Redirects slots that are bound to the host to Heddle's procedures.
bool redirect(const Object& object, const Object& host, bool but_profiling) {
  bool written = true;
  object.each_import_from(host, [&](const char* name, Slot slot) {
    if (!of_mpi(name) || (but_profiling && profiling(name))) return;
    const Place* place = state().find(name);
    if (place && slot.value() == place->host) written = object.write(slot, place->ours) && written;
  });
  return written;
}

/// A symbol of the host, and its new value.
struct Symbol {
  const ElfW(Sym) * symbol;
  void* ours;
};

/// Remembers the addresses of the host's procedures and of Heddle's.
std::vector<Symbol> find_places(const Object& host, bool timed) {
  std::vector<Symbol> symbols;
  const auto add = [&](const char* procedure, void* ours) {
    void* in_host = nullptr;
    for (const std::string& name : {std::string(procedure), std::string("P") + procedure}) {
      const ElfW(Sym)* symbol = host.defined(name.c_str());
      if (!symbol) continue;
      in_host = host.address_of(*symbol);
      symbols.push_back({symbol, ours});
      state().places.emplace(name, Place{in_host, ours});
    }
    return in_host;
  };
  for (const Procedure& each : procedures()) add(each.name, timed && each.timed ? each.timed : each.ours);
  if (timed)
    for (const Observable& each : observed()) *each.host = add(each.name, each.timed);
  return symbols;
}

bool take_symbols(const Object& host, const std::vector<Symbol>& symbols) {
  std::vector<const ElfW(Sym)*> all;
  all.reserve(symbols.size());
  for (const Symbol& each : symbols) all.push_back(each.symbol);
  const Object::Writable writable(host, all);
  if (!writable) return false;
  // A symbol's value is an offset from its object's base. The sum wraps around.
  for (const Symbol& each : symbols)
    const_cast<ElfW(Sym)*>(each.symbol)->st_value = reinterpret_cast<ElfW(Addr)>(each.ours) - host.base();
  return true;
}

Taken redirect_process(const void* in_host, bool timed) {
  const std::vector<Object> objects = loaded_objects();
  const auto holds = [&](const void* address) {
    const Object* found = nullptr;
    for (const Object& object : objects)
      if (object.contains(address)) found = &object;
    return found;
  };
  const Object* const host = holds(in_host);
  const Object* const self = holds(reinterpret_cast<const void*>(&redirect_process));
  if (!host || !self) return Taken::refused;
  if (host->executable()) return Taken::in_program;
  state().path = host->path();

  // If a step fails, no calls have been redirected yet, except in the last step.
  if (!bind_now(*self, false) || !bind_now(*host, false)) return Taken::refused;
  const std::vector<Symbol> symbols = find_places(*host, timed);
  for (const Object& object : objects)
    if (object.defined(marker) && !bind_now(object, true)) return Taken::refused;
  if (!take_symbols(*host, symbols)) return Taken::refused;
  bool all = true;
  for (const Object& object : objects)
    if (&object != host && &object != self) all = redirect(object, *host, object.defined(marker) != nullptr) && all;
  return all ? Taken::all : Taken::in_part;
}

}  // namespace

Taken take_place(const void* in_host, bool timed) { return state().taken = redirect_process(in_host, timed); }

Taken taken() noexcept { return state().taken; }

const char* host_path() noexcept { return state().path.c_str(); }

void* host_procedure(const char* name) {
  const Place* const place = state().find(name);
  return place ? place->host : nullptr;
}

State& state() noexcept {
  static auto* const state = new State;
  return *state;
}

}  // namespace heddle::interposition
