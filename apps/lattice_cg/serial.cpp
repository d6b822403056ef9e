// lattice_cg/serial.cpp: the operators once more, in their simplest form: the whole lattice in
// natural order, and all of gamma.
#include <cmath>

#include "check.hpp"
#include "fields.hpp"
#include "wilson.hpp"

namespace lattice {
namespace {

template <class T>
using Whole = std::vector<T>;

/// The whole lattice, closed in itself.
class Torus {
 public:
  explicit Torus(const Four& sides) : sides_(sides) {}
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(sides_[0]) * static_cast<std::size_t>(sides_[1]) * static_cast<std::size_t>(sides_[2]) *
           static_cast<std::size_t>(sides_[3]);
  }
  [[nodiscard]] const Four& sides() const { return sides_; }
  [[nodiscard]] std::size_t site(const Four& x) const {
    std::size_t natural = 0;
    for (std::size_t dim = 4; dim-- > 0;)
      natural = natural * static_cast<std::size_t>(sides_[dim]) + static_cast<std::size_t>(x[dim]);
    return natural;
  }
  [[nodiscard]] Four at(std::size_t natural) const {
    Four x{};
    for (std::size_t dim = 0; dim < 4; ++dim) {
      x[dim] = static_cast<int>(natural % static_cast<std::size_t>(sides_[dim]));
      natural /= static_cast<std::size_t>(sides_[dim]);
    }
    return x;
  }
  [[nodiscard]] std::size_t beside(std::size_t from, int mu, int by) const {
    Four x = at(from);
    int& along = x[static_cast<std::size_t>(mu)];
    along = (along + by + sides_[static_cast<std::size_t>(mu)]) % sides_[static_cast<std::size_t>(mu)];
    return site(x);
  }

 private:
  Four sides_;
};

Whole<Matrix> thin_links(const Torus& torus, int mu) {
  Whole<Matrix> links;
  for (std::size_t i = 0; i < torus.size(); ++i) links.push_back(link_at(torus.at(i), torus.sides(), mu));
  return links;
}

std::vector<Whole<Matrix>> fat_links(const Torus& torus) {
  std::vector<Whole<Matrix>> u, fat;
  for (int mu = 0; mu < 4; ++mu) u.push_back(thin_links(torus, mu));
  for (int mu = 0; mu < 4; ++mu) {
    const auto m = static_cast<std::size_t>(mu);
    Whole<Matrix>& sum = fat.emplace_back(torus.size());
    for (std::size_t i = 0; i < torus.size(); ++i) {
      sum[i] = (1 - 6 * staple_weight) * u[m][i];
      for (int nu = 0; nu < 4; ++nu) {
        if (nu == mu) continue;
        const auto n = static_cast<std::size_t>(nu);
        const std::size_t up = torus.beside(i, nu, 1), down = torus.beside(i, nu, -1), right = torus.beside(i, mu, 1);
        sum[i] = sum[i] + staple_weight * (u[n][i] * u[m][up] * adjoint(u[n][right]));
        sum[i] = sum[i] + staple_weight * (adjoint(u[n][down]) * u[m][down] * u[n][torus.beside(down, mu, 1)]);
      }
    }
  }
  return fat;
}

using AllLinks = std::vector<Whole<Matrix>>;

Whole<Vector> staggered_hop(const Torus& torus, const AllLinks& u, const Whole<Vector>& in) {
  Whole<Vector> out(torus.size());
  for (std::size_t i = 0; i < torus.size(); ++i) {
    for (int mu = 0; mu < 4; ++mu) {
      const std::size_t ahead = torus.beside(i, mu, 1), behind = torus.beside(i, mu, -1);
      const Matrix& back = u[static_cast<std::size_t>(mu)][behind];
      out[i] = out[i] + phase(torus.at(i), mu) * (u[static_cast<std::size_t>(mu)][i] * in[ahead]) -
               phase(torus.at(behind), mu) * (adjoint(back) * in[behind]);
    }
  }
  return out;
}

Wilson times_gamma(const Wilson& v, const Gamma& g) {
  Wilson w;
  for (int s = 0; s < 4; ++s) w.d[s] = turned(v.d[g.spin[s]], g.power[s]);
  return w;
}

Whole<Wilson> wilson_hop(const Torus& torus, const AllLinks& u, const Whole<Wilson>& in) {
  Whole<Wilson> out(torus.size());
  for (std::size_t i = 0; i < torus.size(); ++i) {
    for (int mu = 0; mu < 4; ++mu) {
      const std::size_t ahead = torus.beside(i, mu, 1), behind = torus.beside(i, mu, -1);
      const Wilson minus = in[ahead] + -1.0 * times_gamma(in[ahead], gammas[mu]);
      const Wilson plus = in[behind] + times_gamma(in[behind], gammas[mu]);
      const Matrix &there = u[static_cast<std::size_t>(mu)][i], back = adjoint(u[static_cast<std::size_t>(mu)][behind]);
      for (int s = 0; s < 4; ++s) out[i].d[s] = out[i].d[s] + there * minus.d[s] + back * plus.d[s];
    }
  }
  return out;
}

/// M on the even sites, or with `dagger` its adjoint.
Whole<Wilson> wilson_step(const Torus& torus, const AllLinks& u, Whole<Wilson> in, bool dagger) {
  const auto gamma5 = [&](Whole<Wilson>& v) {
    for (Wilson& w : v)
      for (int s = 2; s < 4; ++s) w.d[s] = -1.0 * w.d[s];
  };
  if (dagger) gamma5(in);
  Whole<Wilson> out = wilson_hop(torus, u, wilson_hop(torus, u, in));
  for (std::size_t i = 0; i < torus.size(); ++i) out[i] = in[i] + -(kappa * kappa) * out[i];
  if (dagger) gamma5(out);
  return out;
}

/// The solution on rank 0, zero at odd sites.
template <class T>
Whole<T> gathered(const Lattice& lattice, const Field<T>& field) {
  int me = 0, ranks = 0;
  MPI_Comm_rank(lattice.comm(), &me);
  MPI_Comm_size(lattice.comm(), &ranks);
  const int doubles = lattice.sites() / 2 * static_cast<int>(sizeof(T) / sizeof(double));
  const Torus torus(lattice.global());
  std::vector<T> all(me == 0 ? torus.size() / 2 : 0);
  MPI_Gather(&field[lattice.first(0)], doubles, MPI_DOUBLE, all.data(), doubles, MPI_DOUBLE, 0, lattice.comm());
  Whole<T> whole(me == 0 ? torus.size() : 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto half = static_cast<std::size_t>(lattice.sites() / 2);
    whole[torus.site(lattice.global_at(static_cast<int>(i % half), lattice.rank_at(static_cast<int>(i / half))))] = all[i];
  }
  return whole;
}

template <class T, class Source, class Apply>
double residual_of(const Torus& torus, const Whole<T>& solution, Source&& source, Apply&& apply) {
  const Whole<T> found = apply(solution);
  double difference = 0, reference = 0;
  for (std::size_t i = 0; i < torus.size(); ++i) {
    const Four x = torus.at(i);
    if ((x[0] + x[1] + x[2] + x[3]) % 2 != 0) continue;
    const T expected = source(x, torus.sides()), wrong = expected + -1.0 * found[i];
    difference += dot(wrong, wrong);
    reference += dot(expected, expected);
  }
  return std::sqrt(difference / reference);
}

}  // namespace

double staggered_residual(const Lattice& lattice, const Field<Vector>& solution) {
  const Whole<Vector> whole = gathered(lattice, solution);
  if (whole.empty()) return 0;
  const Torus torus(lattice.global());
  const AllLinks u = fat_links(torus);
  return residual_of(torus, whole, vector_at, [&](const Whole<Vector>& in) {
    Whole<Vector> out = staggered_hop(torus, u, staggered_hop(torus, u, in));
    for (std::size_t i = 0; i < torus.size(); ++i) out[i] = 4 * mass * mass * in[i] - out[i];
    return out;
  });
}

double wilson_residual(const Lattice& lattice, const Field<Wilson>& solution) {
  const Whole<Wilson> whole = gathered(lattice, solution);
  if (whole.empty()) return 0;
  const Torus torus(lattice.global());
  const AllLinks u = fat_links(torus);
  return residual_of(torus, whole, wilson_at,
                     [&](const Whole<Wilson>& in) { return wilson_step(torus, u, wilson_step(torus, u, in, false), true); });
}

}  // namespace lattice
