// vecscatter/options.hpp: what the command line asks for.
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

/// The options, or the exit code to end with (--help, or a mistake that has been explained; only rank 0 `speak`s).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace vecscatter
