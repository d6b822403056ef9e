// bench/common/report.cpp: see report.hpp.
#include "common/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "common/give_way.hpp"
#include "common/host.hpp"

namespace heddle::bench {
bool crowded(int ranks) { return ranks > static_cast<int>(cores().size()); }

void choose(std::vector<Way>& ways, const std::vector<std::string>& wanted) {
  const std::string who = interposer();
  std::erase_if(ways, [&](const Way& way) {
    return std::ranges::find(wanted, way.name) == wanted.end() || (way.name == "interposed" && who == "host");
  });
  for (Way& way : ways)
    if (way.name == "interposed") way.name = who;
}

Report::Report(Stage& stage, std::string bench) : stage_{stage}, bench_{std::move(bench)} {
  const std::vector<int> allowed = cores();
  go_first();
  core_ = allowed.empty() ? -1 : pin(allowed[static_cast<std::size_t>(stage.rank()) % allowed.size()]);
}

void Report::print(const Json& line) const {
  if (stage_.rank() == 0) std::cout << line.dump() << std::endl;
}

void Report::plan(long steps) {
  std::vector<int> all(static_cast<std::size_t>(stage_.ranks()));
  PMPI_Gather(&core_, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  const double line = stage_.line_ns();
  print({{"plan", steps},
         {"mpi", library_name()},
         {"interposer", interposer()},
         {"core", core_},
         {"pinning", fmt::format("{}", fmt::join(all, ","))},
         {"line_ns", line}});
}

void Report::print(const Json& row, const std::string& variant, const char* unit, double scale, const Spread& spread) const {
  Json line = {{"bench", bench_}};
  line.update(row);
  line.update({{"variant", variant},
               {"value", spread.median * scale},
               {"unit", unit},
               {"lower", spread.lower * scale},
               {"upper", spread.upper * scale},
               {"best", spread.best * scale},
               {"samples", spread.samples}});
  print(line);
}

void Report::measured(std::vector<Way>& ways, Clock clock, const Pace& pace, const Json& row, const Unit& unit) {
  Json with_line = row;
  with_line["line_ns"] = stage_.line_ns();
  measure(stage_, ways, clock, pace);
  if (stage_.rank() != 0) return;
  for (const Way& way : ways) {
    const Spread& ns = way.ns;
    if (unit.rate_bytes > 0)
      print(with_line, way.name, "GB/s", unit.rate_bytes, {1 / ns.median, 1 / ns.upper, 1 / ns.lower, 1 / ns.best, ns.samples});
    else
      print(with_line, way.name, "us", 1e-3 / unit.messages, ns);
  }
  for (const char* base : {"contiguous", "host"}) {
    const auto found = std::ranges::find(ways, base, &Way::name);
    if (found == ways.end()) continue;
    with_line["metric"] = row.at("metric").get<std::string>() + " over " + base;
    for (const Way& way : ways)
      if (way.name != base) print(with_line, way.name, "1", 1, ratio(way, *found));
  }
}

void Report::done(const std::string& what) const { print({{"done", what}}); }

void Report::check(std::vector<Way>& ways, const std::string& name) {
  drop_wrong(stage_, ways, [&](const std::string& which, const std::string& why) {
    ++wrong_;
    print({{"wrong", fmt::format("{}, {}", name, which)}, {"why", why}});
  });
}

}  // namespace heddle::bench
