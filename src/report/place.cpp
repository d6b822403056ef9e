// report/place.cpp: the loaded file of an address, or the line of Python.
#include "report/place.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>

#include "report/calling_place.hpp"
#include "report/python_line.hpp"

namespace heddle::report {

std::string program_file() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

Place place_of(const void* address) {
  if (const PythonLine* const python = python_line_at(address)) return place_of(*python);
  Dl_info found{};
  void* extra = nullptr;
  if (!address || !dladdr1(address, &found, &extra, RTLD_DL_LINKMAP) || !extra) return {};
  const auto* const map = static_cast<const link_map*>(extra);
  Place place;
  place.module = map->l_name && *map->l_name ? map->l_name : program_file();
  place.offset = reinterpret_cast<std::uintptr_t>(address) - map->l_addr;
  if (found.dli_sname) place.symbol = found.dli_sname;
  if (part_of(place.module) == Part::mpi4py) place.no_line = why_no_python_line();
  return place;
}

}  // namespace heddle::report
