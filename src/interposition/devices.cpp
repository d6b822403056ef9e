// interposition/devices.cpp: CUDA, ROCm, Level Zero.
#include "interposition/devices.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace heddle::interposition {
namespace {

struct Kind {
  std::array<const char*, 3> drivers;  ///< As linked; null: no more.
  std::array<const char*, 2> queries;  ///< Of Open MPI and MPICH: whether they were built for it.
};
constexpr std::array<Kind, 3> kinds = {
    {{{"libcuda.so.1"}, {"MPIX_Query_cuda_support"}},
     {{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"}, {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"}},
     {{"libze_loader.so.1"}, {"MPIX_Query_ze_support"}}}};

bool loaded(const char* library) {
  void* const handle = library ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (handle) dlclose(handle);
  return handle != nullptr;
}

/// A host that says nothing may take such memory.
bool taken_by_host(const Kind& kind) {
  bool said = false;
  for (const char* query : kind.queries) {
    auto* const supports = query ? reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, query)) : nullptr;
    if (supports && supports() != 0) return true;
    said |= supports != nullptr;
  }
  return !said;
}

}  // namespace

const char* device_driver() noexcept {
  for (const Kind& kind : kinds) {
    const auto* const driver = std::ranges::find_if(kind.drivers, loaded);
    if (driver != kind.drivers.end() && taken_by_host(kind)) return *driver;
  }
  return nullptr;
}

}  // namespace heddle::interposition
