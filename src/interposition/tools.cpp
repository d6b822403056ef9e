// interposition/tools.cpp: compares the procedures of each loaded object with those that the
// program's calls reach.
#include "interposition/tools.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "interposition/object.hpp"
#include "interposition/procedures.hpp"
#include "interposition/state.hpp"

namespace heddle::interposition {
namespace {

bool is_heddle(const Object& object) { return object.defined("heddle_seen_host") != nullptr; }

/// True if another tool holds the address of this object's procedure: that tool has asked the
/// loader for it, by dlsym, to hand calls on.
bool held_by_others(const Object& object, const void* address, const std::vector<Object>& tools) {
  return std::any_of(tools.begin(), tools.end(), [&](const Object& other) {
    if (other.path() == object.path()) return false;
    const std::vector<const void*> held = other.addresses_held(object);
    return std::find(held.begin(), held.end(), address) != held.end();
  });
}

/// MPI's procedures that an object exports. Some Fortran bindings have names in capitals; a name
/// that the library's C interface lacks does not count.
std::vector<std::string> procedures_of(const Object& object, const Object& host) {
  std::vector<std::string> names;
  object.each_defined([&](const char* name, std::uint32_t) {
    if (of_mpi(name) && host.defined(name)) names.emplace_back(name);
  });
  std::sort(names.begin(), names.end());
  return names;
}

Tool look_at(const Object& object, const Object& host, const std::vector<Object>& objects, const std::vector<Object>& tools) {
  Tool tool{.object = object.called(), .procedures = procedures_of(object, host), .called = 0, .behind = {}};
  for (const std::string& name : tool.procedures) {
    const void* const given = dlsym(RTLD_DEFAULT, name.c_str());
    const ElfW(Sym)* const own = object.defined(name.c_str());
    if (object.contains(given) || (own && held_by_others(object, object.address_of(*own), tools))) {
      ++tool.called;
      continue;
    }
    const auto first = std::find_if(objects.begin(), objects.end(), [&](const Object& other) { return other.contains(given); });
    if (first != objects.end()) tool.behind = (is_heddle(*first) ? host : *first).called();
  }
  if (tool.called > 0) tool.behind.clear();
  return tool;
}

}  // namespace

std::vector<Tool> tools() {
  std::vector<Tool> found;
  const std::vector<Object> objects = loaded_objects();
  const auto host =
      std::find_if(objects.begin(), objects.end(), [](const Object& object) { return object.path() == state().path; });
  if (state().path.empty() || host == objects.end()) return found;
  std::vector<Object> all;
  std::copy_if(objects.begin(), objects.end(), std::back_inserter(all), [&](const Object& object) {
    return !is_heddle(object) && object.path() != host->path() && !procedures_of(object, *host).empty();
  });
  found.reserve(all.size());
  for (const Object& object : all) found.push_back(look_at(object, *host, objects, all));
  return found;
}

std::string text(const Tool& tool) {
  constexpr std::size_t shown = 3;
  const std::size_t all = tool.procedures.size();
  std::string names;
  for (std::size_t i = 0; i < std::min(shown, all); ++i) names += (i > 0 ? ", " : "") + tool.procedures[i];
  if (all > shown) names += " ... " + std::to_string(all) + " procedures";
  return tool.object + " (" + names + ")";
}

}  // namespace heddle::interposition
