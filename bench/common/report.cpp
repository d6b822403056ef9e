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
namespace {

constexpr int few = 3;  // fewer samples mean nothing

}  // namespace

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
               {"samples", spread.samples},
               {"high", spread.high * scale}});
  print(line);
}

void Report::measured(std::vector<Way>& ways, Clock clock, const Pace& pace, const Json& row, const Unit& unit) {
  const std::array<double, 2> lines = measure(stage_, ways, clock, pace);
  if (stage_.rank() != 0) return;
  bool told = false;
  for (const bool far : {false, true}) {
    if (std::ranges::any_of(ways, [far](const Way& way) { return way.seen[far].ns.samples < few; })) continue;
    Json with_line = row;
    with_line["line_ns"] = lines[far];
    if (lines[far] > 0) with_line["cores"] = far ? "far" : "near";
    print(with_line, ways, unit, [far](const Way& way) -> const Way::Seen& { return way.seen[far]; });
    told = true;
  }
  if (!told) print(row, ways, unit, [](const Way& way) -> const Way::Seen& { return way.mostly(); });
}

void Report::print(Json row, const std::vector<Way>& ways, const Unit& unit,
                   const std::function<const Way::Seen&(const Way&)>& seen) const {
  for (const Way& way : ways) {
    const Spread& ns = seen(way).ns;
    if (unit.rate_bytes > 0)
      print(row, way.name, "GB/s", unit.rate_bytes,
            {1 / ns.median, 1 / ns.upper, 1 / ns.lower, 1 / ns.best, ns.samples, 1 / ns.high});
    else
      print(row, way.name, "us", 1e-3 / unit.messages, ns);
  }
  const std::string metric = row.at("metric").get<std::string>();
  for (const std::string& base : unit.over) {
    const auto found = std::ranges::find(ways, base, &Way::name);
    if (found == ways.end()) continue;
    row["metric"] = metric + " over " + base;
    for (const Way& way : ways)
      if (way.name != base) print(row, way.name, "1", 1, ratio(seen(way), seen(*found)));
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
