// bench/groups/main.cpp: the native half of `heddle bench groups`: bytes, look-ups and creation of
// groups, without MPI. Prints JSON lines.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "common/command_line.hpp"
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
  CommandLine line("The native half of `heddle bench groups`");
  line.option("--sizes", options.sizes, "ranks of the world").between(1000, 100'000'000);
  line.option("--depth", options.depth, "levels of derivation").between(1, 100);
  line.option("--samples", options.samples, "repetitions").between(1, 1000);
  line.option("--sample-ms", options.sample_ms, "milliseconds of a sample").between(0.01, 1000.0);
  if (const auto status = line.parse(argc, argv)) return *status;
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
