// fft2d/options.hpp: the options of the command line.
#pragma once

#include <optional>
#include <string>

#include "filter.hpp"
#include "transpose.hpp"

namespace fft2d {

struct Options {
  std::string input;   ///< PGM; empty: a test picture.
  std::string output;  ///< PGM; empty: none.
  int rows = 0;        ///< 0: the size of the picture; also for columns.
  int columns = 0;
  Filter filter;
  Way way;
  int repetitions = 5;
  int warmup = 1;
  bool check = true;
};

std::string name(Variant variant);  ///< The name on the command line.

/// The options, or the program's exit code after --help or an error. Only rank 0 prints (`speak`).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace fft2d
