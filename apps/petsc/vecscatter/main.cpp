// vecscatter: moves the elements of a vector to unique places of another (docs/vecscatter.md). It
// is an ordinary PETSc program. Rank 0 prints one line of JSON.
#include <petscvec.h>

#include <iostream>
#include <memory>
#include <vector>

#include "common/report.hpp"
#include "options.hpp"
#include "petsc/petsc.hpp"
#include "scatters.hpp"

namespace vecscatter {
namespace {

using apps::check;
using apps::Json;

class Vector {
 public:
  explicit Vector(int elements) { check(VecCreateMPI(PETSC_COMM_WORLD, elements, PETSC_DETERMINE, &vector_)); }
  ~Vector() { check(VecDestroy(&vector_)); }
  Vector(const Vector&) = delete;
  Vector& operator=(const Vector&) = delete;
  operator Vec() const { return vector_; }

 private:
  Vec vector_ = nullptr;
};

/// Makes each element from g and the turn, so values of an earlier scatter count as wrong.
void fill(const Pattern& pattern, int me, Vec x, int turn) {
  PetscScalar* values = nullptr;
  PetscInt elements = 0;
  check(VecGetLocalSize(x, &elements));
  check(VecGetArray(x, &values));
  for (PetscInt at = 0; at < elements; ++at)
    values[at] = static_cast<double>(Pattern::Index{me} * elements + at + pattern.size() * turn);
  check(VecRestoreArray(x, &values));
}

long wrong_elements(const Pattern& pattern, int me, Vec y, int turn) {
  const PetscScalar* values = nullptr;
  PetscInt elements = 0;
  check(VecGetLocalSize(y, &elements));
  check(VecGetArrayRead(y, &values));
  long wrong = 0;
  for (Pattern::Index g = 0; g < pattern.size(); ++g) {
    const Pattern::Index place = pattern.place(g);
    if (place / elements != me) continue;
    wrong += values[place % elements] != static_cast<double>(g + pattern.size() * turn);
  }
  check(VecRestoreArrayRead(y, &values));
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, PETSC_COMM_WORLD);
  return wrong;
}

void run(const Options& options) {
  int me = 0, ranks = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &me);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const Pattern pattern(options.kind, ranks, options.elements);
  const Vector x(options.elements), y(options.elements);
  std::vector<std::unique_ptr<Scatter>> scatters;
  for (const char* way : ways) scatters.push_back(make_scatter(way, pattern, x, y));

  std::string mistake;
  std::vector<std::vector<double>> seconds(scatters.size());
  for (int turn = 0; turn <= options.repetitions; ++turn) {  // the first does not count
    for (std::size_t i = 0; i < scatters.size(); ++i) {
      const std::size_t way = (i + static_cast<std::size_t>(turn)) % scatters.size();
      fill(pattern, me, x, turn);
      check(VecSet(y, -1));
      MPI_Barrier(PETSC_COMM_WORLD);
      const double start = MPI_Wtime();
      for (int n = 0; n < options.scatters; ++n) scatters[way]->run();
      double took = (MPI_Wtime() - start) / options.scatters;
      MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
      if (turn > 0) seconds[way].push_back(took);
      if (!options.check && turn < options.repetitions) continue;  // the last turn is always checked
      if (const long wrong = wrong_elements(pattern, me, y, turn); wrong != 0 && mistake.empty())
        mistake = std::to_string(wrong) + " elements are wrong (" + ways[way] + ", repetition " + std::to_string(turn) + ").";
    }
  }
  Json json{{"program", "vecscatter"},      {"mpi", apps::mpi_version()},   {"ranks", ranks},
            {"pattern", options.kind_name}, {"elements", options.elements}, {"repetitions", options.repetitions}};
  for (std::size_t way = 0; way < scatters.size(); ++way) json["seconds"][ways[way]] = apps::summary(seconds[way]);
  json["wrong"] = mistake;
  if (me == 0) std::cout << json.dump() << std::endl;
  apps::agree(mistake, PETSC_COMM_WORLD);
}

}  // namespace
}  // namespace vecscatter

int main(int argc, char** argv) {
  const apps::Petsc petsc;
  int me = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &me);
  const vecscatter::Parsed parsed = vecscatter::parse(argc, argv, me == 0);
  if (!parsed.options) return parsed.exit_code;
  return apps::told("vecscatter", PETSC_COMM_WORLD, [&] { vecscatter::run(*parsed.options); });
}
