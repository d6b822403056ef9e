// multigrid/options.hpp: what the command line asks for.
#pragma once

#include <optional>

namespace multigrid {

struct Options {
  int points = 101;  ///< Of the finest grid along each side, boundaries included.
  int levels = 3;
  int repetitions = 3;
  bool check = true;
};

/// The options, or the exit code to end with (--help, or a mistake that has been explained; only rank 0 `speak`s).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace multigrid
