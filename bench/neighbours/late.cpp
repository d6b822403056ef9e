// bench/neighbours/late.cpp
#include "neighbours/late.hpp"

#include <unistd.h>

#include <algorithm>

namespace heddle::bench::neighbours {

void late(Stage& stage, Report& report, const std::vector<Way>& ways, const std::string& what) {
  constexpr int repetitions = 15;
  constexpr unsigned late_us = 10'000;
  const int ranks = stage.ranks();
  const auto half = static_cast<std::size_t>(ranks / 2);
  for (const Way& way : ways) {
    std::vector<std::vector<double>> stays(half + 1);
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      way.prepare(repetition);
      stage.meet();
      if (stage.rank() == 0) usleep(late_us);
      stage.start();
      way.act(repetition);
      stage.end();
      stage.meet();
      for (int rank = 1; rank < ranks; ++rank)
        stays[static_cast<std::size_t>(std::min(rank, ranks - rank))].push_back(stage.ended(rank) - stage.started(rank));
      stage.meet();
    }
    for (std::size_t away = 1; away <= half; ++away)
      report.told({{"case", what + " P=" + std::to_string(ranks) + ", " + std::to_string(away) + " away"},
                   {"metric", "late"},
                   {"bytes", 0}},
                  way.name, spread_of(stays[away]));
  }
}

}  // namespace heddle::bench::neighbours
