// mpi/progress/progress_openmpi.cpp: opal_progress_register, of libopen-pal, which no header declares.
#include "mpi/host.hpp"
#include "mpi/progress/progress.hpp"

#if HEDDLE_FAMILY_OPENMPI
#include <dlfcn.h>

namespace heddle::mpi::progress {
namespace {

using Callback = int();
using Body = void (*)();
constinit Body wanted = nullptr;

/// How many events it has seen to.
int poll() {
  wanted();
  return 0;
}

bool tell(const char* name) {
  auto* const procedure = reinterpret_cast<int (*)(Callback*)>(dlsym(RTLD_DEFAULT, name));
  return procedure && procedure(poll) == 0;
}

}  // namespace

bool hook(void (*body)()) noexcept {
  wanted = body;
  return tell("opal_progress_register");
}

void unhook() noexcept { tell("opal_progress_unregister"); }

}  // namespace heddle::mpi::progress
#endif
