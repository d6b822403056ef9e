// lattice_cg/su3.hpp: the elements of a lattice field, with MILC's names, and their arithmetic.
//
//   Vector w = links[mu][x] * v;                  // U v
//   Vector b = adjoint_times(links[mu][x], v);    // U^dagger v
#pragma once

namespace lattice {

struct Complex {
  double re, im;
};
struct Vector {  // su3_vector: three colours
  Complex c[3];
};
struct HalfWilson {  // half_wilson_vector: two spins
  Vector h[2];
};
struct Wilson {  // wilson_vector: four spins
  Vector d[4];
};
struct Matrix {  // su3_matrix
  Complex e[3][3];
};

inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(double s, Complex a) { return {s * a.re, s * a.im}; }
inline Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Complex conj(Complex a) { return {a.re, -a.im}; }
inline double dot(Complex a, Complex b) { return a.re * b.re + a.im * b.im; }
/// i^power a.
inline Complex turned(Complex a, int power) {
  switch (power & 3) {
    case 0:
      return a;
    case 1:
      return {-a.im, a.re};
    case 2:
      return {-a.re, -a.im};
    default:
      return {a.im, -a.re};
  }
}

inline Vector operator+(const Vector& a, const Vector& b) { return {{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}}; }
inline Vector operator-(const Vector& a, const Vector& b) { return {{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}}; }
inline Vector operator*(double s, const Vector& a) { return {{s * a.c[0], s * a.c[1], s * a.c[2]}}; }
inline double dot(const Vector& a, const Vector& b) { return dot(a.c[0], b.c[0]) + dot(a.c[1], b.c[1]) + dot(a.c[2], b.c[2]); }
inline Vector turned(const Vector& a, int power) {
  return {{turned(a.c[0], power), turned(a.c[1], power), turned(a.c[2], power)}};
}

inline Wilson operator+(const Wilson& a, const Wilson& b) {
  return {{a.d[0] + b.d[0], a.d[1] + b.d[1], a.d[2] + b.d[2], a.d[3] + b.d[3]}};
}
inline Wilson operator*(double s, const Wilson& a) { return {{s * a.d[0], s * a.d[1], s * a.d[2], s * a.d[3]}}; }
inline double dot(const Wilson& a, const Wilson& b) {
  return dot(a.d[0], b.d[0]) + dot(a.d[1], b.d[1]) + dot(a.d[2], b.d[2]) + dot(a.d[3], b.d[3]);
}

inline Vector operator*(const Matrix& u, const Vector& v) {
  Vector w;
  for (int i = 0; i < 3; ++i) w.c[i] = u.e[i][0] * v.c[0] + u.e[i][1] * v.c[1] + u.e[i][2] * v.c[2];
  return w;
}
inline Vector adjoint_times(const Matrix& u, const Vector& v) {
  Vector w;
  for (int i = 0; i < 3; ++i) w.c[i] = conj(u.e[0][i]) * v.c[0] + conj(u.e[1][i]) * v.c[1] + conj(u.e[2][i]) * v.c[2];
  return w;
}
inline HalfWilson operator*(const Matrix& u, const HalfWilson& v) { return {{u * v.h[0], u * v.h[1]}}; }
inline HalfWilson adjoint_times(const Matrix& u, const HalfWilson& v) {
  return {{adjoint_times(u, v.h[0]), adjoint_times(u, v.h[1])}};
}

inline Matrix adjoint(const Matrix& u) {
  Matrix w;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) w.e[i][j] = conj(u.e[j][i]);
  return w;
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix w;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) w.e[i][j] = a.e[i][0] * b.e[0][j] + a.e[i][1] * b.e[1][j] + a.e[i][2] * b.e[2][j];
  return w;
}
inline Matrix operator+(const Matrix& a, const Matrix& b) {
  Matrix w;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) w.e[i][j] = a.e[i][j] + b.e[i][j];
  return w;
}
inline Matrix operator*(double s, const Matrix& a) {
  Matrix w;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) w.e[i][j] = s * a.e[i][j];
  return w;
}

}  // namespace lattice
