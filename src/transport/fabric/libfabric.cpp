// transport/fabric/libfabric.cpp: loads libfabric by dlopen.
#include "transport/fabric/libfabric.hpp"

#include <dlfcn.h>

#include <map>

#include "layout/immortal.hpp"

namespace heddle::transport::fabric {
namespace {

struct Loaded {
  Library library;
  std::string why;

  explicit Loaded(const std::string& file) {
    // The library is never closed, because its providers have threads and handlers of their own.
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* const said = dlerror();
      why = file + " could not be loaded (" + (said ? said : "?") + ")";
      return;
    }
    take(handle, "fi_getinfo", library.getinfo);
    take(handle, "fi_freeinfo", library.freeinfo);
    take(handle, "fi_dupinfo", library.dupinfo);
    take(handle, "fi_fabric", library.fabric);
    take(handle, "fi_strerror", library.strerror);
    if (!why.empty()) why = file + " has no " + why;
  }

  template <class Function>
  void take(void* handle, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    if (!function) why = name;
  }
};

}  // namespace

const Library* library(const std::string& file, std::string& why) {
  static layout::Immortal<std::map<std::string, Loaded>> loaded;
  const std::string name = file.empty() ? "libfabric.so.1" : file;
  const Loaded& found = (*loaded).try_emplace(name, name).first->second;
  why = found.why;
  return why.empty() ? &found.library : nullptr;
}

}  // namespace heddle::transport::fabric
