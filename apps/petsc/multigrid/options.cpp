// multigrid/options.cpp: the command line, with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace multigrid {

Parsed parse(int argc, char** argv, bool speak) {
  Options options;
  CLI::App app{
      "Solves Poisson's equation on a cube by PETSc's multigrid, after Balaji et al. 2007, §5.5. It uses PETSc's messages\n"
      "and PETSc's neighbourhood collectives in turn. Prints one line of JSON."};
  app.add_option("--points", options.points, "Points of the finest grid along each side, boundaries included")
      ->capture_default_str()
      ->check(CLI::Range(5, 1025));
  app.add_option("--levels", options.levels, "Grids; each has half the cells of the next along a side")
      ->capture_default_str()
      ->check(CLI::Range(1, 8));
  app.add_option("--repetitions", options.repetitions, "Timed solutions")->capture_default_str()->check(CLI::Range(1, 100000));
  app.add_flag("!--no-check", options.check, "Do not compare with the exact solution");
  try {
    app.parse(argc, argv);
    const int coarsest = 1 << (options.levels - 1);
    if ((options.points - 1) % coarsest != 0 || (options.points - 1) / coarsest < 2) {
      throw CLI::ValidationError("--points", "for " + std::to_string(options.levels) + " levels, a multiple of " +
                                                 std::to_string(coarsest) + " and 1 more, at least " +
                                                 std::to_string(2 * coarsest + 1));
    }
  } catch (const CLI::ParseError& end) {
    std::ostringstream quiet;
    return {std::nullopt, speak ? app.exit(end) : app.exit(end, quiet, quiet)};
  }
  return {options, 0};
}

}  // namespace multigrid
