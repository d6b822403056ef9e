// fft2d/options.hpp: what the command line asks for.
#pragma once

#include <optional>
#include <string>

#include "filter.hpp"
#include "transpose.hpp"

namespace fft2d {

struct Options {
  std::string input;   ///< PGM; empty: a test picture.
  std::string output;  ///< PGM; empty: none.
  int rows = 0;        ///< 0: those of the picture.
  int columns = 0;
  Filter filter;
  Way way;
  int repetitions = 5;
  int warmup = 1;
  bool check = true;
};

std::string name(Variant variant);  ///< As the command line has it.

/// The options, or the exit code to end with (--help, or a mistake that has been explained; only rank 0 `speak`s).
struct Parsed {
  std::optional<Options> options;
  int exit_code = 0;
};
Parsed parse(int argc, char** argv, bool speak);

}  // namespace fft2d
