// multigrid/options.hpp: the options of the command line.
#pragma once

#include <optional>

namespace multigrid {

struct Options {
  int points = 101;  ///< Points of the finest grid along each side, boundaries included.
  int levels = 3;
  int repetitions = 3;
  bool check = true;
};

/// The options, or the program's exit code after --help or an error. Only rank 0 prints (`speak`).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace multigrid
