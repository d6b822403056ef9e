// lattice_cg/options.hpp: what the command line asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gather.hpp"
#include "lattice.hpp"

namespace lattice {

struct Options {
  Four local{4, 4, 4, 4};
  std::vector<Way> ways{Way::manual, Way::datatypes};
  int repetitions = 5;
  int warmup = 1;
  double tolerance = 1e-8;
  int most_iterations = 2000;
  bool check = true;
};

/// The options, or the exit code to end with (--help, or a mistake that has been explained; only rank 0 `speak`s).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace lattice
