// bench/groups/parts.hpp: the parts of `heddle bench groups`. Each prints JSON lines.
#pragma once

#include <string>
#include <vector>

#include "common/clock.hpp"
#include "group/group.hpp"

namespace heddle::bench {

struct Options {
  std::vector<group::Rank> sizes = {1'000, 10'000, 100'000, 1'000'000, 10'000'000};
  int depth = 20;
  double sample_ms = 2;
  int samples = 15;
  [[nodiscard]] Effort effort() const { return {sample_ms * 1e6, samples, 3, 1e9}; }
};

void print(const std::string& name, const std::string& variant, const char* metric, double value, const char* unit);
void print(const std::string& name, const std::string& variant, const char* metric, const Spread& spread, const char* unit);

/// Makes groups of one kind, in a world of `ranks`.
struct Sample {
  const char* name;
  group::Group (*make)(group::Rank ranks);
};
/// A sample for each format (two for ranges: few and many). Throws std::logic_error if the encoder
/// chooses another format.
const std::vector<Sample>& samples();

void memory();
void lookup(const Options& options);
void depth(const Options& options);
void hierarchy(const Options& options);
void creation(const Options& options);

}  // namespace heddle::bench
