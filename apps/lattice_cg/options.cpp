// lattice_cg/options.cpp: the command line, with CLI11.
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace lattice {
namespace {

/// Reads "4" or "4x4x4x8" into `sides`. @return an error message, or nothing
std::string read_sides(const std::string& text, Four& sides) {
  std::istringstream in(text);
  char by = 'x';
  std::size_t found = 0;
  for (; found < 4 && (found == 0 || (in >> by && by == 'x')) && in >> sides[found]; ++found) {
  }
  if (found == 1) sides = {sides[0], sides[0], sides[0], sides[0]};
  if ((found != 1 && found != 4) || in.peek() != EOF) return "'" + text + "' is no lattice: write 8 or 8x8x8x16 (x, y, z, t)";
  for (const int side : sides) {
    if (side < 2 || side > 64 || side % 2 != 0) return "sides are even, from 2 to 64";
  }
  return "";
}

}  // namespace

Parsed parse(int argc, char** argv, bool speak) {
  Options options;
  CLI::App app{
      "Lattice conjugate gradient, after MILC: smears SU(3) links, then solves for a staggered and a Wilson quark.\n"
      "Sends halos packed by a loop and, in turn, by MPI datatypes. Prints one line of JSON."};
  std::string sides = "4";
  app.add_option("--local", sides, "Sites of a rank: L or XxYxZxT")->capture_default_str();
  std::string way = "both";
  app.add_option("--way", way, "Halos packed by a loop (manual), by datatypes, or both in turn")
      ->capture_default_str()
      ->check(CLI::IsMember({"both", "manual", "datatypes"}));
  app.add_option("--repetitions", options.repetitions, "Timed repetitions")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--warmup", options.warmup, "Untimed repetitions before")->capture_default_str()->check(CLI::Range(0, 1000));
  app.add_option("--tolerance", options.tolerance, "Relative residual to reach")
      ->capture_default_str()
      ->check(CLI::Range(1e-13, 1.0));
  app.add_option("--iterations", options.most_iterations, "Most iterations of a solver")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_flag("!--no-check", options.check, "Do not compare with a serial program on rank 0");
  try {
    app.parse(argc, argv);
    const std::string reason = read_sides(sides, options.local);
    if (!reason.empty()) throw CLI::ValidationError("--local", reason);
    if (way != "both") options.ways = {way == "manual" ? Way::manual : Way::datatypes};
  } catch (const CLI::ParseError& end) {
    std::ostringstream quiet;
    return {std::nullopt, speak ? app.exit(end) : app.exit(end, quiet, quiet)};
  }
  return {options, 0};
}

}  // namespace lattice
