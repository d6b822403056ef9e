// bench/pack/index_lists.cpp: doubles at listed places, sorted, shuffled, and in runs of one to
// four. The yardstick draws the same random numbers, so both read the same places in the same
// order.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

struct Lists {
  std::vector<int> sorted, shuffled, runs_at, run_lengths;
};

Lists draw(int n) {
  std::mt19937 random{1};
  const auto below = [&](unsigned limit) { return static_cast<int>(random() % limit); };
  Lists lists;
  for (int i = 0, place = 0; i < n; ++i, place += 1 + below(6)) lists.sorted.push_back(place);
  lists.shuffled = lists.sorted;
  std::shuffle(lists.shuffled.begin(), lists.shuffled.end(), random);
  for (int i = 0, place = 0; i < n; ++i) {
    lists.runs_at.push_back(place);
    lists.run_lengths.push_back(1 + below(4));
    place += lists.run_lengths.back() + below(6);
  }
  return lists;
}

Case index_case(const char* order, int n, std::function<Type(std::byte*)> build) {
  return {.name = fmt::format("indexed8_{}_{}", order, n),
          .family = "index",
          .pattern = Pattern::irregular,
          .build = std::move(build)};
}

}  // namespace

void add_index_lists(Catalogue& to) {
  for (const int n : {500, 10'000, 100'000, 1'000'000}) {
    to.push_back(index_case("sorted", n, [=](std::byte*) { return indexed_block(1, draw(n).sorted, MPI_DOUBLE); }));
    to.push_back(index_case("shuffled", n, [=](std::byte*) { return indexed_block(1, draw(n).shuffled, MPI_DOUBLE); }));
    to.push_back(index_case("variable", n, [=](std::byte*) {
      const Lists lists = draw(n);
      return indexed(lists.run_lengths, lists.runs_at, MPI_DOUBLE);
    }));
  }
}

}  // namespace heddle::bench::pack
