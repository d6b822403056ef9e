// interposition/devices.cpp: the drivers of CUDA, ROCm and Level Zero.
#include "interposition/devices.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace heddle::interposition {
namespace {

struct DeviceLibrary {
  std::string_view stem;               ///< Begin of the drivers' file names.
  std::array<const char*, 3> drivers;  ///< Names under which programs link them; null: no more.
  std::array<const char*, 2> queries;  ///< Functions of Open MPI and MPICH that tell if they were built for it.
};
constexpr std::array<DeviceLibrary, 3> device_libraries = {
    {{"libcuda", {"libcuda.so.1"}, {"MPIX_Query_cuda_support"}},
     {"libamdhip64",
      {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"},
      {"MPIX_Query_rocm_support", "MPIX_Query_hip_support"}},
     {"libze_loader", {"libze_loader.so.1"}, {"MPIX_Query_ze_support"}}}};

/// True if a loaded file's name begins with the stem. dlopen() would search all its folders for a
/// missing file.
bool any_loaded(std::string_view stem) {
  const auto is_one = [](dl_phdr_info* object, std::size_t /*size*/, void* wanted) {
    const std::string_view path(object->dlpi_name);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return name.starts_with(*static_cast<const std::string_view*>(wanted)) ? 1 : 0;
  };
  return dl_iterate_phdr(is_one, &stem) != 0;
}

bool loaded(const char* library) {
  void* const handle = library ? dlopen(library, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (handle) dlclose(handle);
  return handle != nullptr;
}

/// True if the host accepts such memory. A host without these functions may accept it.
bool taken_by_host(const DeviceLibrary& library) {
  bool said = false;
  for (const char* query : library.queries) {
    auto* const supports = query ? reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, query)) : nullptr;
    if (supports && supports() != 0) return true;
    said |= supports != nullptr;
  }
  return !said;
}

}  // namespace

const char* device_driver() noexcept {
  for (const DeviceLibrary& library : device_libraries) {
    if (!any_loaded(library.stem)) continue;
    const auto* const driver = std::ranges::find_if(library.drivers, loaded);
    if (driver != library.drivers.end() && taken_by_host(library)) return *driver;
  }
  return nullptr;
}

}  // namespace heddle::interposition
