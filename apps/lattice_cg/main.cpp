// lattice_cg: conjugate gradients on a four-dimensional lattice, with halo exchange by loops and by
// MPI datatypes (docs/lattice_cg.md). It is an ordinary MPI program. Rank 0 prints one line of
// JSON.
#include <mpi.h>

#include <array>
#include <cmath>
#include <iostream>
#include <sstream>

#include "check.hpp"
#include "common/report.hpp"
#include "options.hpp"
#include "smear.hpp"
#include "solver.hpp"
#include "staggered.hpp"
#include "wilson.hpp"

namespace lattice {
namespace {

using apps::Json;

constexpr std::array phases{"links", "staggered", "wilson"};
constexpr std::array way_names{"manual", "datatypes"};
constexpr const char* name_of(Way way) { return way_names[static_cast<std::size_t>(way)]; }
constexpr double rounding = 1e-11;  // greatest difference between the solver's residual and the true one

struct Found {
  std::array<Solved, phases.size()> solved;
  std::array<double, phases.size()> seconds;  // the slowest rank's
};

/// The problem of one rank, and its solvers.
class Work {
 public:
  Work(const Lattice& lattice, const Types& types, const Options& options)
      : staggered_solution(lattice),
        wilson_solution(lattice),
        gathers(lattice, types, Way::manual),
        lattice_(lattice),
        options_(options),
        thin_(4, Field<Matrix>(lattice)),
        fat_(thin_),
        phased_(thin_),
        staggered_source_(lattice),
        wilson_source_(lattice),
        staggered_(lattice, gathers, phased_),
        wilson_(lattice, gathers, fat_) {
    int me = 0;
    MPI_Comm_rank(lattice.comm(), &me);
    const Four global = lattice.global(), here = lattice.rank_at(me);
    for (int i = 0; i < lattice.sites(); ++i) {
      const Four x = lattice.global_at(i, here);
      for (int mu = 0; mu < 4; ++mu) thin_[static_cast<std::size_t>(mu)][i] = link_at(x, global, mu);
      staggered_source_[i] = vector_at(x, global);
      wilson_source_[i] = wilson_at(x, global);
      places_.push_back(x);
    }
  }

  Field<Vector> staggered_solution;
  Field<Wilson> wilson_solution;
  Gathers gathers;

  Found run(Way way) {
    gathers.way = way;
    Found found{};
    timed(found.seconds[0], [&] { smear(lattice_, gathers, thin_, fat_); });
    for (int mu = 0; mu < 4; ++mu) {
      const auto m = static_cast<std::size_t>(mu);
      for (int i = 0; i < lattice_.sites(); ++i) phased_[m][i] = phase(places_[static_cast<std::size_t>(i)], mu) * fat_[m][i];
    }
    timed(found.seconds[1], [&] {
      found.solved[1] =
          solve(lattice_, staggered_, staggered_source_, staggered_solution, options_.tolerance, options_.most_iterations);
    });
    timed(found.seconds[2], [&] {
      found.solved[2] = solve(lattice_, wilson_, wilson_source_, wilson_solution, options_.tolerance, options_.most_iterations);
    });
    MPI_Allreduce(MPI_IN_PLACE, found.seconds.data(), phases.size(), MPI_DOUBLE, MPI_MAX, lattice_.comm());
    return found;
  }

 private:
  template <class F>
  void timed(double& seconds, F&& body) {
    MPI_Barrier(lattice_.comm());
    const double start = MPI_Wtime();
    body();
    seconds = MPI_Wtime() - start;
  }

  const Lattice& lattice_;
  const Options& options_;
  Links thin_, fat_, phased_;
  std::vector<Four> places_;
  Field<Vector> staggered_source_;
  Field<Wilson> wilson_source_;
  Staggered staggered_;
  WilsonQuark wilson_;
};

/// Floating-point operations of the CG phases on all ranks.
double flops(const Lattice& lattice, std::size_t phase, const Solved& solved, int ranks) {
  const double each = phase == 1 ? Staggered::flops + 6 * flops_beside : WilsonQuark::flops + 24 * flops_beside;
  return each * lattice.sites() / 2 * ranks * solved.iterations;
}

/// The part of the time that a rank spends on halos, in all three phases: the mean over the ranks,
/// from an additional pass.
Json shares(Work& work, Way way, MPI_Comm comm, int ranks) {
  Gathers::Spent spent;
  work.gathers.spent = &spent;
  const Found found = work.run(way);
  work.gathers.spent = nullptr;
  std::array sums{spent.packing, spent.starting, spent.waiting};
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), sums.size(), MPI_DOUBLE, MPI_SUM, comm);
  const double all = (found.seconds[0] + found.seconds[1] + found.seconds[2]) * ranks;
  return {{"packing", sums[0] / all}, {"starting", sums[1] / all}, {"waiting", sums[2] / all}};
}

/// Checks that the residual is the solver's. @return an error message, or nothing
std::string check(const Lattice& lattice, Work& work, const Found& last, Json& json) {
  const std::array residuals{staggered_residual(lattice, work.staggered_solution),
                             wilson_residual(lattice, work.wilson_solution)};
  std::ostringstream mistake;
  for (const std::size_t phase : {std::size_t{1}, std::size_t{2}}) {
    const double residual = residuals[phase - 1], believed = last.solved[phase].residual;
    json["residual"][phases[phase]] = residual;
    if (!(std::abs(residual - believed) < rounding)) {  // this form catches NaN, too
      mistake << phases[phase] << ": the solution leaves a residual of " << residual << " where the solver reports " << believed
              << ". ";
    }
  }
  return mistake.str();
}

using Prints = std::array<std::string, 2>;  // fingerprints of the two solutions

/// Runs all repetitions, each with all ways. Writes seconds and speeds into `json`, and the
/// fingerprints of each way into `prints`. @return the result of the last run
Found measure(const Lattice& lattice, Work& work, const Options& options, int ranks, Json& json, std::vector<Prints>& prints) {
  std::array<std::array<std::vector<double>, phases.size()>, way_names.size()> seconds;
  prints.resize(options.ways.size());
  Found last;
  for (int turn = 0; turn < options.warmup + options.repetitions; ++turn) {
    for (std::size_t i = 0; i < options.ways.size(); ++i) {
      const std::size_t at = (i + static_cast<std::size_t>(turn)) % options.ways.size();  // the ways take turns to be the first
      const Way way = options.ways[at];
      last = work.run(way);
      prints[at] = {fingerprint(lattice, work.staggered_solution), fingerprint(lattice, work.wilson_solution)};
      if (turn < options.warmup) continue;
      auto& of_way = seconds[static_cast<std::size_t>(way)];
      for (std::size_t phase = 0; phase < phases.size(); ++phase) of_way[phase].push_back(last.seconds[phase]);
    }
  }
  for (const Way way : options.ways) {
    const char* name = name_of(way);
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      const Json summary = apps::summary(seconds[static_cast<std::size_t>(way)][phase]);
      json["seconds"][name][phases[phase]] = summary;
      if (phase == 0) continue;
      json["iterations"][phases[phase]] = last.solved[phase].iterations;
      json["mflops"][name][phases[phase]] =
          flops(lattice, phase, last.solved[phase], ranks) / 1e6 / summary["median"].get<double>();
    }
    json["shares"][name] = shares(work, way, lattice.comm(), ranks);
  }
  return last;
}

void run(const Options& options) {
  const Lattice lattice(options.local, MPI_COMM_WORLD);
  const MPI_Comm comm = lattice.comm();
  int me = 0, ranks = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  const Types types(lattice);
  Work work(lattice, types, options);
  std::string mistake;
  for (const Way way : options.ways) {
    work.gathers.way = way;
    if (const long wrong = options.check ? wrong_halo_elements(lattice, work.gathers) : 0; wrong != 0)
      mistake += std::to_string(wrong) + " wrong elements of the halo (" + name_of(way) + "). ";
  }
  Json json{{"program", "lattice_cg"}, {"mpi", apps::mpi_version()}, {"ranks", ranks},
            {"grid", lattice.grid()},  {"local", lattice.local()},   {"repetitions", options.repetitions}};
  std::vector<Prints> prints;
  const Found last = measure(lattice, work, options, ranks, json, prints);
  json["fingerprint"] = {{phases[1], prints[0][0]}, {phases[2], prints[0][1]}};
  if (me == 0 && prints.front() != prints.back()) mistake += "the two ways give different bits. ";
  if (options.check) {
    const std::string wrong = check(lattice, work, last, json);
    if (me == 0) mistake += wrong;
  }
  if (me == 0) std::cout << json.dump() << std::endl;
  apps::agree(mistake.empty() ? "" : mistake + "The MPI library moved wrong bytes for these datatypes.", comm);
}

}  // namespace
}  // namespace lattice

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const lattice::Parsed parsed = lattice::parse(argc, argv, me == 0);
  int code = parsed.exit_code;
  if (parsed.options) code = apps::told("lattice_cg", MPI_COMM_WORLD, [&] { lattice::run(*parsed.options); });
  MPI_Finalize();
  return code;
}
