// lattice_cg/types.hpp: the 48 datatypes: 2 parities × 8 directions × su3_vector,
// half_wilson_vector, su3_matrix.
//
// A face of one parity, in checkerboard order, for a rank of X × Y × Z × T sites:
//   t   X·Y·Z/2 neighbouring elements                         contiguous
//   z   T pieces of X·Y/2, one for each t                     hvector
//   y   Z·T pieces of X/2, one for each z                     hvector
//   x   single elements, for every other y. Odd or even y     hvector of indexed
//       alternate with z and t, so the pattern of two
//       neighbouring t repeats T/2 times
//
//   MPI_Isend(&field[types.begin(d, p)], 1, types.face(Element::vector, d, p), ...);
//   MPI_Irecv(&field[lattice.halo(d, p)], 1, types.halo(Element::vector, d), ...);
#pragma once

#include <mpi.h>

#include <array>

#include "lattice.hpp"
#include "su3.hpp"

namespace lattice {

enum class Element { vector, half_wilson, matrix };
constexpr int elements = 3;
constexpr std::array<std::size_t, elements> element_bytes{sizeof(Vector), sizeof(HalfWilson), sizeof(Matrix)};

template <class T>
constexpr Element element_of();
template <>
constexpr Element element_of<Vector>() {
  return Element::vector;
}
template <>
constexpr Element element_of<HalfWilson>() {
  return Element::half_wilson;
}
template <>
constexpr Element element_of<Matrix>() {
  return Element::matrix;
}

class Types {
 public:
  explicit Types(const Lattice& lattice);
  ~Types();
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;

  /// The face that I send to the neighbour that gathers from d. It begins at the site begin(d, p).
  [[nodiscard]] MPI_Datatype face(Element element, Direction d, Parity p) const { return of(faces_, element, d, p); }
  [[nodiscard]] int begin(Direction d, Parity p) const {
    return begin_[static_cast<std::size_t>(d)][static_cast<std::size_t>(p)];
  }
  /// The halo that I receive: contiguous, with as many elements.
  [[nodiscard]] MPI_Datatype halo(Element element, Direction d) const {
    return halos_[static_cast<std::size_t>(element)][static_cast<std::size_t>(d)];
  }

 private:
  using All = std::array<std::array<std::array<MPI_Datatype, directions>, 2>, elements>;
  static MPI_Datatype of(const All& all, Element element, Direction d, Parity p) {
    return all[static_cast<std::size_t>(element)][static_cast<std::size_t>(p)][static_cast<std::size_t>(d)];
  }

  All faces_;
  std::array<std::array<MPI_Datatype, directions>, elements> halos_;
  std::array<std::array<int, 2>, directions> begin_;
};

}  // namespace lattice
