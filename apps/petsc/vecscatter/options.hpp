// vecscatter/options.hpp: the options of the command line.
#pragma once

#include <optional>
#include <string>

#include "pattern.hpp"

namespace vecscatter {

struct Options {
  int elements = 4096;
  Kind kind = Kind::sides;
  std::string kind_name = "sides";
  int repetitions = 9;
  int scatters = 50;
  bool check = true;
};

/// The options, or the program's exit code after --help or an error. Only rank 0 prints (`speak`).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace vecscatter
