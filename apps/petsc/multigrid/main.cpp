// multigrid: solves Poisson's equation on a cube, with three grids (docs/multigrid.md). It is an
// ordinary PETSc program. Rank 0 prints one line of JSON.
#include <iostream>
#include <memory>
#include <sstream>
#include <vector>

#include "common/report.hpp"
#include "laplacian.hpp"
#include "options.hpp"
#include "petsc/petsc.hpp"

namespace multigrid {
namespace {

using apps::Json;

constexpr const char* ways[] = {"petsc", "petsc neighbour"};
constexpr double tolerance = 1e-9;  // the solver's own is 1e-10

void run(const Options& options) {
  int me = 0, ranks = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &me);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  std::vector<std::unique_ptr<Laplacian>> problems;
  for (const apps::Way way : {apps::Way::basic, apps::Way::neighbour}) {
    apps::take_way(way);
    problems.push_back(std::make_unique<Laplacian>(options.points, options.levels));
  }
  std::vector<std::vector<double>> seconds(problems.size());
  for (int turn = 0; turn < options.repetitions; ++turn) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const std::size_t way = (i + static_cast<std::size_t>(turn)) % problems.size();
      MPI_Barrier(PETSC_COMM_WORLD);
      const double start = MPI_Wtime();
      problems[way]->solve();
      double took = MPI_Wtime() - start;
      MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
      seconds[way].push_back(took);
    }
  }
  Json json{{"program", "multigrid"},   {"mpi", apps::mpi_version()}, {"ranks", ranks},
            {"points", options.points}, {"levels", options.levels},   {"repetitions", options.repetitions}};
  std::ostringstream mistake;
  const double h = 1.0 / (options.points - 1);
  for (std::size_t way = 0; way < problems.size(); ++way) {
    Laplacian& problem = *problems[way];
    json["seconds"][ways[way]] = apps::summary(seconds[way]);
    json["iterations"][ways[way]] = problem.iterations();
    const std::string print = problem.fingerprint();
    json["fingerprint"][ways[way]] = print;
    if (me == 0 && print != json["fingerprint"][ways[0]]) mistake << "the two ways give different bits. ";
    if (!options.check) continue;
    const double residual = problem.residual(), error = problem.error();
    json["residual"][ways[way]] = residual;
    json["error"][ways[way]] = error;
    // The stencil's own error is π² h² / 12 times the solution, to leading order: 0.82 h².
    if (!(residual < tolerance && error < 1.2 * h * h))
      mistake << ways[way] << ": residual " << residual << ", error " << error << " where h² is " << h * h << ". ";
  }
  if (me == 0) std::cout << json.dump() << std::endl;
  apps::agree(mistake.str(), PETSC_COMM_WORLD);
}

}  // namespace
}  // namespace multigrid

int main(int argc, char** argv) {
  const apps::Petsc petsc;
  int me = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &me);
  const multigrid::Parsed parsed = multigrid::parse(argc, argv, me == 0);
  if (!parsed.options) return parsed.exit_code;
  return apps::told("multigrid", PETSC_COMM_WORLD, [&] { multigrid::run(*parsed.options); });
}
