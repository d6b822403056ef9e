// lattice_cg/solver.hpp: conjugate gradient on the even sites.
//
//   const Solved solved = solve(lattice, staggered, source, solution, 1e-10, 1000);
#pragma once

#include <mpi.h>

#include <cmath>

#include "lattice.hpp"

namespace lattice {

struct Solved {
  int iterations = 0;
  double residual = 0;  ///< |b - A x| / |b|, by the recurrence.
};

template <class Spinor>
double dot(const Lattice& lattice, const Field<Spinor>& a, const Field<Spinor>& b) {
  double sum = 0;
  for (int x = lattice.first(0); x < lattice.past(0); ++x) sum += dot(a[x], b[x]);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, lattice.comm());
  return sum;
}

/// Floating-point operations of an iteration without A, for each real number of an even site: three
/// sums of multiples, two products.
constexpr double flops_beside = 10;

/// Solves A x = b, beginning with x = 0. @param tolerance is the relative residual to reach. @param
/// most iterations at most.
template <class Operator>
Solved solve(const Lattice& lattice, Operator& a, const Field<typename Operator::Spinor>& b,
             Field<typename Operator::Spinor>& x, double tolerance, int most) {
  using Spinor = typename Operator::Spinor;
  const int first = lattice.first(0), past = lattice.past(0);
  Field<Spinor> r = b, p = b, ap(lattice);
  for (int i = first; i < past; ++i) x[i] = Spinor{};
  const double whole = dot(lattice, b, b);
  double square = whole;
  Solved solved;
  while (solved.iterations < most && square > tolerance * tolerance * whole) {
    a.apply(p, ap);
    const double step = square / dot(lattice, p, ap);
    for (int i = first; i < past; ++i) {
      x[i] = x[i] + step * p[i];
      r[i] = r[i] + -step * ap[i];
    }
    const double next = dot(lattice, r, r);
    for (int i = first; i < past; ++i) p[i] = r[i] + next / square * p[i];
    square = next;
    ++solved.iterations;
  }
  solved.residual = std::sqrt(square / whole);
  return solved;
}

}  // namespace lattice
