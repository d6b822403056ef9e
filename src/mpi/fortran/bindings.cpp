// mpi/fortran/bindings.cpp
#include "mpi/fortran/bindings.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "mpi/host.hpp"
#include "mpi/imports.hpp"

namespace heddle::mpi::fortran {
namespace {

/// How compilers write MPI_RECV: an object that defines it is a binding.
constexpr std::array<const char*, 4> names = {"mpi_recv_", "mpi_recv", "mpi_recv__", "MPI_RECV"};

bool is_binding(const Object& object) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return object.defines(name); });
}

/// This library, for dlsym: it needs none that defines an MPI_ symbol.
void* myself() {
  static void* const handle = [] {
    Dl_info where{};
    return dladdr(reinterpret_cast<void*>(&route), &where) != 0 ? dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  }();
  return handle;
}

/// Routes one binding; whether all its calls come to Heddle.
bool routed(const Object& binding) {
  bool receives = false;
  const bool written = binding.redirect([&receives](const char* symbol) -> void* {
    const bool past_us = std::strncmp(symbol, "PMPI_", 5) == 0;
    const char* const plain = past_us ? symbol + 1 : symbol;
    if (std::strcmp(plain, "MPI_Recv") == 0) receives = true;
    return past_us ? dlsym(myself(), plain) : nullptr;
  });
  return written && receives;
}

bool all_heard = true;

/// Before main: a program's MPI_INIT is to come through here, too. Processes without MPI (launchers, shells) are left alone.
[[gnu::constructor]] void route_at_load() {
  if (PMPI_Recv) route();
}

}  // namespace

void route() noexcept try {
  all_heard = true;
  if (!myself()) {
    all_heard = false;
    return;
  }
  for (const Object& object : loaded_objects())
    if (is_binding(object)) all_heard &= routed(object);
} catch (const std::bad_alloc&) {
  all_heard = false;
}

void load_beside_host() noexcept try {
  Dl_info host{};
  if (dladdr(reinterpret_cast<void*>(PMPI_Recv), &host) == 0) return;
  std::string path(host.dli_fname);
  path.resize(path.rfind('/') + 1);
  path += "libmpi_mpifh.so.40";  // Open MPI 4 and 5; those of MPICH need no routing
  dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
} catch (const std::bad_alloc&) {
  all_heard = false;
}

bool heard() noexcept { return all_heard; }

}  // namespace heddle::mpi::fortran
