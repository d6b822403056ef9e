// bench/common/host.cpp: see host.hpp.
#include "common/host.hpp"

#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include <regex>

/// The PMPI_ names in the programs of bench/ mean the host, also under Heddle (src/interposition).
extern "C" {
__attribute__((visibility("default"))) extern const int heddle_pmpi_is_host;
const int heddle_pmpi_is_host = 1;
}

namespace heddle::bench {

std::string library_name() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, length);
  std::smatch found;
  if (std::regex_search(version, found, std::regex{R"(Open MPI v([0-9.]+))"})) return "Open MPI " + found[1].str();
  if (std::regex_search(version, found, std::regex{R"(MPICH Version:\s*([0-9.]+))"})) return "MPICH " + found[1].str();
  if (std::regex_search(version, found, std::regex{R"(Intel\S* MPI Library ([0-9.]+))"})) return "Intel MPI " + found[1].str();
  return version.substr(0, version.find('\n'));
}

std::string interposer() {
  // Looks the function up by name: the address of MPI_Pack in this file could be that of our own
  // linkage table.
  void* const call = dlsym(RTLD_DEFAULT, "MPI_Pack");
  Dl_info from{};
  if (call == nullptr || dladdr(call, &from) == 0 || from.dli_fname == nullptr) return "host";
  std::string file = from.dli_fname;
  file = file.substr(file.rfind('/') + 1);
  if (file.find("heddle_null") != std::string::npos) return "null";
  return file.find("heddle") != std::string::npos ? "heddle" : "host";
}

int pin(int core) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  if (core < 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &allowed)) core = i;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0 ? core : -1;
}

std::vector<int> cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return found;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &allowed)) found.push_back(i);
  return found;
}

}  // namespace heddle::bench
