// bench/groups/main.cpp: the native half of `heddle bench groups`: bytes, look-ups and creation of
// groups, without MPI. Prints JSON lines.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "groups/parts.hpp"

namespace heddle::bench {

void print(const std::string& name, const std::string& variant, const char* metric, const Spread& spread, const char* unit) {
  const nlohmann::ordered_json row = {{"bench", "groups"},        {"case", name},           {"variant", variant},
                                      {"metric", metric},         {"value", spread.median}, {"unit", unit},
                                      {"lower", spread.lower},    {"upper", spread.upper},  {"best", spread.best},
                                      {"samples", spread.samples}};
  std::cout << row.dump() << std::endl;
}

void print(const std::string& name, const std::string& variant, const char* metric, double value, const char* unit) {
  print(name, variant, metric, Spread{value, value, value, value, 1, value}, unit);
}

namespace {

int run(int argc, char** argv) {
  Options options;
  CLI::App app("The native half of `heddle bench groups`");
  app.add_option("--sizes", options.sizes, "ranks of the world")->check(CLI::Range(1000, 100'000'000));
  app.add_option("--depth", options.depth, "levels of derivation")->check(CLI::Range(1, 100));
  app.add_option("--samples", options.samples, "repetitions")->check(CLI::Range(1, 1000));
  app.add_option("--sample-ms", options.sample_ms, "milliseconds of a sample")->check(CLI::Range(0.01, 1000.0));
  CLI11_PARSE(app, argc, argv);
  memory();
  lookup(options);
  depth(options);
  hierarchy(options);
  creation(options);
  return 0;
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  try {
    return heddle::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle bench groups: %s\n", error.what());
    return 1;
  }
}
