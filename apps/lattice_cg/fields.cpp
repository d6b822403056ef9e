// lattice_cg/fields.cpp: see fields.hpp.
#include "fields.hpp"

#include <cmath>
#include <cstdint>

namespace lattice {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014), one stream for each place and kind of element.
class Random {
 public:
  Random(const Four& x, const Four& global, int kind) {
    std::int64_t natural = 0;
    for (int dim = 3; dim >= 0; --dim)
      natural = natural * global[static_cast<std::size_t>(dim)] + x[static_cast<std::size_t>(dim)];
    state_ = static_cast<std::uint64_t>(natural * 16 + kind) * 0xd1342543de82ef95u + 1;
  }
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
  }
  Vector vector() {
    Vector v;
    for (Complex& c : v.c) {
      c.re = uniform();
      c.im = uniform();
    }
    return v;
  }

 private:
  std::uint64_t state_;
};

void normalize(Vector& v) { v = (1 / std::sqrt(dot(v, v))) * v; }

/// v . conj(w), complex.
Complex inner(const Vector& v, const Vector& w) {
  return v.c[0] * conj(w.c[0]) + v.c[1] * conj(w.c[1]) + v.c[2] * conj(w.c[2]);
}

}  // namespace

Matrix link_at(const Four& x, const Four& global, int mu) {
  Random random(x, global, mu);
  Vector a = random.vector(), b = random.vector();
  normalize(a);
  const Complex along = inner(b, a);
  for (int i = 0; i < 3; ++i) b.c[i] = b.c[i] - along * a.c[i];
  normalize(b);
  Matrix u;
  for (int i = 0; i < 3; ++i) {  // the third row: conj(a × b)
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    u.e[0][i] = a.c[i];
    u.e[1][i] = b.c[i];
    u.e[2][i] = conj(a.c[j] * b.c[k] - a.c[k] * b.c[j]);
  }
  return u;
}

Vector vector_at(const Four& x, const Four& global) { return Random(x, global, 4).vector(); }

Wilson wilson_at(const Four& x, const Four& global) {
  Random random(x, global, 5);
  Wilson w;
  for (Vector& spin : w.d) spin = random.vector();
  return w;
}

}  // namespace lattice
