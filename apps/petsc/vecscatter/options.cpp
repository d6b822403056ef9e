// vecscatter/options.cpp: the command line, with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

namespace vecscatter {

Parsed parse(int argc, char** argv, bool speak) {
  Options options;
  CLI::App app{
      "Scatters a PETSc vector to unique places of another, after Balaji et al. 2007, §5.4. It uses PETSc's messages, PETSc's\n"
      "neighbourhood collectives, MPI_Alltoallw with derived types, and a round-robin in turn. Prints one line of JSON."};
  app.add_option("--elements", options.elements, "Elements of a rank: the vectors grow with the ranks")
      ->capture_default_str()
      ->check(CLI::Range(2, 1 << 24));
  const std::map<std::string, Kind> kinds{{"sides", Kind::sides}, {"transpose", Kind::transpose}, {"mixed", Kind::mixed}};
  app.add_option("--pattern", options.kind_name, "sides (two partners), transpose (all, strided) or mixed (all, in no order)")
      ->capture_default_str()
      ->check(CLI::IsMember({"sides", "transpose", "mixed"}));
  app.add_option("--repetitions", options.repetitions, "Timed repetitions")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--scatters", options.scatters, "Scatters in a repetition")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_flag("!--no-check", options.check, "Check only the result of the last repetition");
  try {
    app.parse(argc, argv);
    options.kind = kinds.at(options.kind_name);
  } catch (const CLI::ParseError& end) {
    std::ostringstream quiet;
    return {std::nullopt, speak ? app.exit(end) : app.exit(end, quiet, quiet)};
  }
  return {options, 0};
}

}  // namespace vecscatter
