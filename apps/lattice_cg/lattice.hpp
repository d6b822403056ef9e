// lattice_cg/lattice.hpp: my part of the four-dimensional lattice: the places of its sites, and
// their neighbours.
//
// The sites are in checkerboard order, as in MILC: first all even sites (x + y + z + t even), then
// all odd sites. x runs fastest. Behind the sites of a field lies its halo, a contiguous piece for
// each parity and direction. Messages arrive there, and the stencil reads them in place.
//
//   | even sites | odd sites | +x even | +x odd | +y even | ... | -x odd |
//
//   Lattice lattice({4, 4, 4, 4}, MPI_COMM_WORLD);
//   Field<Vector> v(lattice);
//   v[lattice.neighbour(d, x)]       // the site beside x in direction d, or its copy in the halo
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

namespace lattice {

using Four = std::array<int, 4>;

/// +x +y +z +t -t -z -y -x: as in MILC, the opposite of d is 7 - d.
using Direction = int;
constexpr int directions = 8;
constexpr Direction opposite(Direction d) { return 7 - d; }
constexpr bool forward(Direction d) { return d < 4; }
constexpr int axis(Direction d) { return forward(d) ? d : opposite(d); }

using Parity = int;  // 0: even, 1: odd

class Lattice {
 public:
  /// Collective. @param local is the number of sites of a rank along x, y, z and t.
  /// std::invalid_argument: a number is odd.
  Lattice(Four local, MPI_Comm comm);
  ~Lattice();
  Lattice(const Lattice&) = delete;
  Lattice& operator=(const Lattice&) = delete;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] Four local() const { return local_; }
  [[nodiscard]] Four grid() const { return grid_; }
  [[nodiscard]] Four global() const;
  [[nodiscard]] int sites() const { return sites_; }
  [[nodiscard]] int first(Parity p) const { return p * sites_ / 2; }
  [[nodiscard]] int past(Parity p) const { return first(p) + sites_ / 2; }
  [[nodiscard]] int elements() const { return elements_; }  ///< Elements of a field: sites and halo.

  [[nodiscard]] int site(const Four& x) const;
  [[nodiscard]] const Four& at(int site) const { return at_[static_cast<std::size_t>(site)]; }  ///< Local coordinates.
  [[nodiscard]] Four global_at(int site, const Four& rank_at) const;
  [[nodiscard]] Four rank_at(int rank) const;  ///< Coordinates in the grid of ranks.

  [[nodiscard]] int neighbour(Direction d, int site) const {
    return neighbour_[static_cast<std::size_t>(d)][static_cast<std::size_t>(site)];
  }
  /// True if other ranks lie in that direction. If not, the lattice closes within this rank.
  [[nodiscard]] bool split(Direction d) const { return grid_[static_cast<std::size_t>(axis(d))] > 1; }
  [[nodiscard]] int rank(Direction d) const { return rank_[static_cast<std::size_t>(d)]; }
  /// First element of the halo that is received from direction d.
  [[nodiscard]] int halo(Direction d, Parity p) const {
    return halo_[static_cast<std::size_t>(d)][static_cast<std::size_t>(p)];
  }
  [[nodiscard]] int face_sites(Direction d) const;  ///< Sites of one parity.
  /// My sites that my neighbour in the opposite direction needs when it gathers from d. They are
  /// ascending, as on the wire.
  [[nodiscard]] std::vector<int> face(Direction d, Parity p) const;

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  Four local_, grid_;
  int sites_, elements_;
  std::vector<Four> at_;
  std::array<std::vector<int>, directions> neighbour_;
  std::array<int, directions> rank_;
  std::array<std::array<int, 2>, directions> halo_;
};

/// An element for each site, and the halo.
template <class Element>
class Field {
 public:
  explicit Field(const Lattice& lattice) : elements_(static_cast<std::size_t>(lattice.elements())) {}
  Element& operator[](int i) { return elements_[static_cast<std::size_t>(i)]; }
  const Element& operator[](int i) const { return elements_[static_cast<std::size_t>(i)]; }
  Element* data() { return elements_.data(); }
  const Element* data() const { return elements_.data(); }

 private:
  std::vector<Element> elements_;
};

}  // namespace lattice
