// lattice_cg/options.hpp: the options of the command line.
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

/// The options, or the program's exit code after --help or an error. Only rank 0 prints (`speak`).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace lattice
