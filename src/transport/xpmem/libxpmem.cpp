// transport/xpmem/libxpmem.cpp: loads libxpmem by dlopen.
#include "transport/xpmem/libxpmem.hpp"

#include <dlfcn.h>

namespace heddle::transport::xpmem {
namespace {

template <class Function>
bool found(void* handle, const char* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool load(Library& functions) noexcept {
  void* handle = dlopen("libxpmem.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = dlopen("libxpmem.so", RTLD_NOW | RTLD_LOCAL);
  return handle && found(handle, "xpmem_version", functions.version) && found(handle, "xpmem_make", functions.make) &&
         found(handle, "xpmem_remove", functions.remove) && found(handle, "xpmem_get", functions.get) &&
         found(handle, "xpmem_release", functions.release) && found(handle, "xpmem_attach", functions.attach) &&
         found(handle, "xpmem_detach", functions.detach);
}

}  // namespace

const Library* library() noexcept {
  static Library functions;
  static const bool loaded = load(functions);  // never unloaded
  return loaded ? &functions : nullptr;
}

}  // namespace heddle::transport::xpmem
