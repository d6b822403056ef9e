// interposition/outcome.cpp: the messages, and the test which process of a job is the first.
#include "interposition/outcome.hpp"

#include <cstdlib>
#include <string_view>

#include "interposition/object.hpp"

namespace heddle::interposition {

const char* outcome(Taken taken) noexcept {
  switch (taken) {
    case Taken::no_host:  // for example, a Python module brings its own library
      return "the program loaded its MPI library later than Heddle, and ran without it. `heddle run` preloads both.";
    case Taken::in_program:
      return "the program contains its MPI library; Heddle can only take the place of a shared one. The program runs without "
             "Heddle.";
    case Taken::refused:
      return "cannot take the place of the MPI library's procedures: the system does not let them be written. The program runs "
             "without Heddle.";
    case Taken::in_part:  // MPI_Init may be among these calls
      return "the system does not let calls of some objects be redirected. They go straight to the MPI library.";
    case Taken::all:
      break;
  }
  return nullptr;
}

bool library_is_over() {
  for (const Object& object : loaded_objects()) {
    const ElfW(Sym)* symbol = object.defined("PMPI_Finalized");
    if (!symbol) continue;
    int over = 0;
    if (reinterpret_cast<int (*)(int*)>(object.address_of(*symbol))(&over) == 0 && over) return true;  // 0: MPI_SUCCESS
  }
  return false;
}

bool first_of_job() noexcept {
  for (const char* const name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"})
    if (const char* const rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace heddle::interposition
