// interposition/misses.cpp: finds code that could receive past Heddle. It looks at the loaded
// objects, and has no list of known cases.
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "interposition/interposition.hpp"
#include "interposition/object.hpp"
#include "interposition/procedures.hpp"
#include "interposition/state.hpp"

namespace heddle::interposition {
namespace {

constexpr std::array<const char*, 2> receives = {"MPI_Recv", "PMPI_Recv"};
/// MPI_RECV as compilers write it. An object that defines it is a binding for Fortran.
constexpr std::array<const char*, 4> fortran = {"mpi_recv_", "mpi_recv", "mpi_recv__", "MPI_RECV"};

/// True if the pattern matches the name. It calls fnmatch only if it reaches a star.
bool fits(const char* pattern, const char* name) {
  while (*pattern == *name && *name != '\0') ++pattern, ++name;
  return *pattern == *name || (*pattern == '*' && fnmatch(pattern, name, 0) == 0);
}

/// The first treatment that matches, or null.
const Treatment* treatment_of(const char* name) {
  const auto all = treatments();
  const auto found = std::ranges::find_if(all, [name](const Treatment& each) { return fits(each.pattern, name); });
  return found == all.end() ? nullptr : &*found;
}

bool is_passed(const char* name, std::uint32_t hash) {
  const auto found = std::ranges::lower_bound(passed(), hash, {}, &Passed::hash);
  return found != passed().end() && found->hash == hash && std::strcmp(found->name, name) == 0;
}

/// Finds procedures that this build does not know: a new release of the host may have more
/// procedures that receive.
std::string unknown_in(const Object& host) {
  std::string found;
  host.each_defined([&](const char* name, std::uint32_t hash) {
    if (!found.empty() || std::strncmp(name, "MPI_", 4) != 0 || is_passed(name, hash) || state().find(name)) return;
    const Treatment* first = treatment_of(name);
    if (const std::string_view all = name; all.ends_with("_c")) {
      const Treatment* const small = treatment_of(std::string(all.substr(0, all.size() - 2)).c_str());
      if (!first || (small && small < first)) first = small;
    }
    if (!first)
      found = "the MPI library has " + std::string(name) + ", which this Heddle does not know";
    else if (first->ours)
      found = "the MPI library has " + std::string(name) + ", which this build of Heddle does not carry out";
  });
  return found;
}

/// True if a tool hands each of its procedures on. Such a tool has asked the loader, by dlsym, for
/// the next procedure of the name, and holds its address. That is Heddle's procedure (EZTrace asks
/// when it is loaded), or another tool's, which is checked itself. A tool that asks only at the
/// first call looks like a tool that receives by itself.
bool hands_on(const Object& tool, const Object& host, const std::vector<Object>& objects) {
  if (!tool.defined(receives[0])) return false;
  std::vector<const void*> held;
  for (const Object& object : objects)
    if (object.path() != tool.path()) {
      const std::vector<const void*> some = tool.addresses_held(object);
      held.insert(held.end(), some.begin(), some.end());
    }
  const auto holds = [&](const void* address) { return std::find(held.begin(), held.end(), address) != held.end(); };
  const auto of_another = [&](const Object& object, const char* name) {
    const ElfW(Sym)* const symbol = object.path() == host.path() ? nullptr : object.defined(name);
    return symbol && holds(object.address_of(*symbol));
  };
  for (const Procedure& each : procedures()) {
    const Place* const place = tool.defined(each.name) ? state().find(each.name) : nullptr;
    if (!place) continue;
    if (holds(place->host)) return false;
    if (!holds(place->ours) && std::none_of(objects.begin(), objects.end(), [&](const Object& object) {
          return object.path() != tool.path() && of_another(object, each.name);
        }))
      return false;
  }
  return true;
}

/// The reason why this object's receives may bypass Heddle. Empty: they cannot.
std::string past_us(const Object& object, const Object& host, const std::vector<Object>& objects) {
  const bool has_own = object.defined(receives[0]) != nullptr;
  const bool binding = std::any_of(fortran.begin(), fortran.end(), [&](const char* name) { return object.defined(name); });
  if ((has_own || binding) && !object.imports(receives) && !hands_on(object, host, objects))
    return object.called() + " has receives of its own";
  std::string found;
  object.each_import_from(host, [&](const char* name, Slot slot) {
    const Place* place = found.empty() && of_mpi(name) ? state().find(name) : nullptr;
    if (place && slot.value() == place->host) found = object.called() + " calls " + name + " of the MPI library itself";
  });
  return found;
}

std::string look() {
  switch (state().taken) {
    case Taken::all:
      break;
    case Taken::in_part:
      return "the system does not let calls of some objects be redirected";
    case Taken::no_host:
    case Taken::in_program:
    case Taken::refused:
      return "Heddle has not taken the MPI library's place";
  }
  const std::vector<Object> objects = loaded_objects();
  const auto ours = [](const Object& object) { return object.defined("heddle_seen_host") != nullptr; };
  const auto host =
      std::find_if(objects.begin(), objects.end(), [](const Object& object) { return object.path() == state().path; });
  if (host == objects.end()) return "the MPI library is not among the loaded objects";
  for (const Object& object : objects) {
    if (ours(object) || object.defined(marker)) continue;
    const std::string why = object.path() == host->path() ? unknown_in(object) : past_us(object, *host, objects);
    if (!why.empty()) return why;
  }
  return {};
}

}  // namespace

const char* misses() noexcept try {
  static auto* const why = new std::string;
  *why = look();
  return why->empty() ? nullptr : why->c_str();
} catch (const std::bad_alloc&) {
  return "there is no memory to look";
}

bool called_past_us(const char* name) {
  const std::array<const char*, 1> names = {name};
  for (const Object& object : loaded_objects())
    if (object.defined(marker) && object.imports(names)) return true;
  return false;
}

bool PastUs::ever() {
  const std::lock_guard guard(looking_);
  const unsigned long long loaded = objects_ever_loaded();
  if (ever_ || loaded == looked_at_) return ever_;
  ever_ = called_past_us(name_);
  looked_at_ = loaded;
  return ever_;
}

}  // namespace heddle::interposition
