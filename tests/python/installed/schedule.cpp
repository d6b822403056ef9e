// Counts the rounds of an algorithm, as schedule.hpp shows.
#include <cstdio>
#include <schedule/schedule.hpp>

int main() {
  using namespace heddle::schedule;
  const Algorithm& way = *find(allgatherv(), "dissemination");
  const Place place{.ranks = 5};
  std::printf("%d rounds\n", static_cast<int>(way.rounds(place)));
}
