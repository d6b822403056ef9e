// children LEFT: programs that a rank starts after MPI_Init get LD_PRELOAD without Heddle and its
// libmpi. LEFT is the rest of LD_PRELOAD ("none": the variable is gone). Programs that a rank
// starts before MPI_Init get both entries, because they may lead to an MPI program.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

/// LD_PRELOAD in a shell that a rank starts.
std::string preload_of_child() {
  std::string said;
  FILE* const pipe = popen("printf %s \"${LD_PRELOAD-none}\"", "r");
  for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  if (pipe) pclose(pipe);
  return said;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const set = std::getenv("LD_PRELOAD");
  const std::string before = set ? set : "none";
  const std::string left = argc > 1 ? argv[1] : "";
  int wrong = preload_of_child() != before;
  MPI_Init(&argc, &argv);
  if (const std::string after = preload_of_child(); after != left) {
    std::printf("wrong: a child has LD_PRELOAD=%s, not %s\n", after.c_str(), left.c_str());
    ++wrong;
  }
  MPI_Finalize();
  if (wrong == 0) std::printf("right\n");
  return wrong;
}
