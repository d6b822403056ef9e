// multigrid/laplacian.cpp: the operator on each grid, and PETSc's multigrid.
#include "laplacian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <vector>

#include "petsc/petsc.hpp"

namespace multigrid {
namespace {

using apps::check;

struct Box {  // my points
  PetscInt x, y, z, wide, high, deep, points;
};

Box box_of(DM grid) {
  Box box{};
  check(DMDAGetInfo(grid, nullptr, &box.points, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr));
  check(DMDAGetCorners(grid, &box.x, &box.y, &box.z, &box.wide, &box.high, &box.deep));
  return box;
}

/// Calls visit(i, j, k) for each of my points.
template <class F>
void each_point(const Box& box, F&& visit) {
  for (PetscInt k = box.z; k < box.z + box.deep; ++k)
    for (PetscInt j = box.y; j < box.y + box.high; ++j)
      for (PetscInt i = box.x; i < box.x + box.wide; ++i) visit(i, j, k);
}

bool on_surface(const Box& box, PetscInt i, PetscInt j, PetscInt k) {
  const PetscInt last = box.points - 1;
  return i == 0 || j == 0 || k == 0 || i == last || j == last || k == last;
}

double exact(const Box& box, PetscInt i, PetscInt j, PetscInt k) {
  const double angle = std::numbers::pi / static_cast<double>(box.points - 1);
  return std::sin(angle * static_cast<double>(i)) * std::sin(angle * static_cast<double>(j)) *
         std::sin(angle * static_cast<double>(k));
}

/// The equation is multiplied by h³: the seven-point stencil then has 6 h in its middle, and the
/// operators of all grids agree.
PetscErrorCode right_side(KSP solver, Vec f, void*) {
  DM grid = nullptr;
  check(KSPGetDM(solver, &grid));
  const Box box = box_of(grid);
  const double h = 1.0 / static_cast<double>(box.points - 1);
  PetscScalar*** values = nullptr;
  check(DMDAVecGetArray(grid, f, &values));
  each_point(box, [&](PetscInt i, PetscInt j, PetscInt k) {
    values[k][j][i] =
        on_surface(box, i, j, k) ? 0.0 : 3 * std::numbers::pi * std::numbers::pi * exact(box, i, j, k) * h * h * h;
  });
  check(DMDAVecRestoreArray(grid, f, &values));
  return 0;
}

/// Leaves out neighbours on the surface, where u is zero. So the matrix is symmetric.
PetscErrorCode left_side(KSP solver, Mat, Mat matrix, void*) {
  DM grid = nullptr;
  check(KSPGetDM(solver, &grid));
  const Box box = box_of(grid);
  const double h = 1.0 / static_cast<double>(box.points - 1);
  constexpr std::array<std::array<PetscInt, 3>, 6> around{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  each_point(box, [&](PetscInt i, PetscInt j, PetscInt k) {
    const MatStencil row{k, j, i, 0};
    std::array<MatStencil, 7> columns{row};
    std::array<PetscScalar, 7> values{6 * h};
    PetscInt count = 1;
    for (const auto& [x, y, z] : around) {
      if (on_surface(box, i, j, k) || on_surface(box, i + x, j + y, k + z)) continue;
      columns[static_cast<std::size_t>(count)] = {k + z, j + y, i + x, 0};
      values[static_cast<std::size_t>(count++)] = -h;
    }
    check(MatSetValuesStencil(matrix, 1, &row, count, columns.data(), values.data(), INSERT_VALUES));
  });
  check(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  check(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return 0;
}

void set(const char* option, const char* value) { check(PetscOptionsSetValue(nullptr, option, value)); }

}  // namespace

Laplacian::Laplacian(int points, int levels) {
  // One V-cycle for each step of CG, with two smoothing steps down and two up. The coarsest grid is
  // also spread over the ranks. A fixed number of Chebyshev steps solves it, so that the cycle is
  // linear.
  set("-mg_levels_ksp_type", "chebyshev");
  set("-mg_levels_pc_type", "jacobi");
  set("-mg_levels_ksp_max_it", "2");
  set("-mg_coarse_ksp_type", "chebyshev");
  set("-mg_coarse_pc_type", "jacobi");
  set("-mg_coarse_ksp_max_it", "30");
  set("-mg_coarse_ksp_norm_type", "none");
  set("-ksp_norm_type", "unpreconditioned");
  const PetscInt coarsest = (points - 1) / (1 << (levels - 1)) + 1;
  check(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, coarsest,
                     coarsest, coarsest, PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 1, 1, nullptr, nullptr, nullptr, &grid_));
  check(DMSetFromOptions(grid_));
  check(DMSetUp(grid_));
  for (int level = 1; level < levels; ++level) {
    DM finer = nullptr;
    check(DMRefine(grid_, PETSC_COMM_WORLD, &finer));
    check(DMDestroy(&grid_));
    grid_ = finer;
  }
  check(KSPCreate(PETSC_COMM_WORLD, &solver_));
  check(KSPSetDM(solver_, grid_));
  check(KSPSetComputeRHS(solver_, right_side, nullptr));
  check(KSPSetComputeOperators(solver_, left_side, nullptr));
  check(KSPSetType(solver_, KSPCG));
  PC multigrid = nullptr;
  check(KSPGetPC(solver_, &multigrid));
  check(PCSetType(multigrid, PCMG));
  check(PCMGSetLevels(multigrid, levels, nullptr));
  check(KSPSetTolerances(solver_, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 100));
  check(KSPSetFromOptions(solver_));
  check(KSPSetUp(solver_));
  check(DMCreateGlobalVector(grid_, &solution_));
  solve();  // part of the set-up: the smoothers estimate their eigenvalues
}

Laplacian::~Laplacian() {
  check(VecDestroy(&solution_));
  check(KSPDestroy(&solver_));
  check(DMDestroy(&grid_));
}

void Laplacian::solve() {
  check(VecSet(solution_, 0));
  check(KSPSolve(solver_, nullptr, solution_));
}

int Laplacian::iterations() const {
  PetscInt found = 0;
  check(KSPGetIterationNumber(solver_, &found));
  return static_cast<int>(found);
}

double Laplacian::residual() {
  Vec f = nullptr, left = nullptr;
  Mat matrix = nullptr;
  double wrong = 0, whole = 0;
  check(KSPGetRhs(solver_, &f));
  check(KSPGetOperators(solver_, &matrix, nullptr));
  check(VecDuplicate(f, &left));
  check(MatMult(matrix, solution_, left));
  check(VecAXPY(left, -1, f));
  check(VecNorm(left, NORM_2, &wrong));
  check(VecNorm(f, NORM_2, &whole));
  check(VecDestroy(&left));
  return wrong / whole;
}

double Laplacian::error() {
  const Box box = box_of(grid_);
  PetscScalar*** values = nullptr;
  double largest = 0;
  check(DMDAVecGetArrayRead(grid_, solution_, &values));
  each_point(box, [&](PetscInt i, PetscInt j, PetscInt k) {
    largest = std::max(largest, std::abs(values[k][j][i] - exact(box, i, j, k)));
  });
  check(DMDAVecRestoreArrayRead(grid_, solution_, &values));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  return largest;
}

std::string Laplacian::fingerprint() {
  const auto mix = [](std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3u; };
  constexpr std::uint64_t start = 0xcbf29ce484222325u;
  const PetscScalar* values = nullptr;
  PetscInt count = 0;
  check(VecGetLocalSize(solution_, &count));
  check(VecGetArrayRead(solution_, &values));
  std::uint64_t mine = start;
  for (PetscInt at = 0; at < count; ++at) {
    std::uint64_t word = 0;
    std::memcpy(&word, &values[at], sizeof word);
    mine = mix(mine, word);
  }
  check(VecRestoreArrayRead(solution_, &values));
  int ranks = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  std::vector<std::uint64_t> of_ranks(static_cast<std::size_t>(ranks));
  MPI_Gather(&mine, 1, MPI_UINT64_T, of_ranks.data(), 1, MPI_UINT64_T, 0, PETSC_COMM_WORLD);
  std::uint64_t hash = start;
  for (const std::uint64_t of_rank : of_ranks) hash = mix(hash, of_rank);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace multigrid
