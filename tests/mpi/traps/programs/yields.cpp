// yields on|off: Open MPI yields while it waits, or not, as HEDDLE_YIELD asks.
#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  using Set = bool (*)(bool);
  const auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
  MPI_Init(&argc, &argv);
  if (!set || argc < 2) return 2;
  const bool wanted = std::strcmp(argv[1], "on") == 0;
  const bool yields = set(true);
  set(yields);
  MPI_Finalize();
  if (yields != wanted) std::printf("it %s\n", yields ? "yields" : "does not yield");
  return yields == wanted ? 0 : 1;
}
