// lattice_cg/lattice.cpp: sites, neighbours, and the grid of ranks.
#include "lattice.hpp"

#include <algorithm>
#include <stdexcept>

namespace lattice {

Lattice::Lattice(Four local, MPI_Comm comm) : local_(local), grid_{0, 0, 0, 0} {
  for (const int length : local) {
    if (length < 2 || length % 2 != 0)
      throw std::invalid_argument("each side of a rank's lattice must be even and at least 2: the two colours alternate");
  }
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Dims_create(ranks, 4, grid_.data());
  const Four closed{1, 1, 1, 1};
  MPI_Cart_create(comm, 4, grid_.data(), closed.data(), 0, &comm_);
  for (int dim = 0; dim < 4; ++dim) {
    const auto plus = static_cast<std::size_t>(dim), minus = static_cast<std::size_t>(opposite(dim));
    MPI_Cart_shift(comm_, dim, 1, &rank_[minus], &rank_[plus]);
  }

  sites_ = local[0] * local[1] * local[2] * local[3];
  at_.resize(static_cast<std::size_t>(sites_));
  Four x{};
  for (x[3] = 0; x[3] < local[3]; ++x[3])
    for (x[2] = 0; x[2] < local[2]; ++x[2])
      for (x[1] = 0; x[1] < local[1]; ++x[1])
        for (x[0] = 0; x[0] < local[0]; ++x[0]) at_[static_cast<std::size_t>(site(x))] = x;

  elements_ = sites_;
  for (Direction d = 0; d < directions; ++d) {
    for (Parity p = 0; p < 2; ++p) {
      halo_[static_cast<std::size_t>(d)][static_cast<std::size_t>(p)] = elements_;
      elements_ += split(d) ? face_sites(d) : 0;
    }
  }
  for (Direction d = 0; d < directions; ++d) {
    const auto along = static_cast<std::size_t>(axis(d));
    auto& of = neighbour_[static_cast<std::size_t>(d)];
    of.resize(static_cast<std::size_t>(sites_));
    const std::array<std::vector<int>, 2> faces{face(d, 0), face(d, 1)};
    for (int i = 0; i < sites_; ++i) {
      Four beside = at(i);
      beside[along] += forward(d) ? 1 : -1;
      const bool inside = beside[along] >= 0 && beside[along] < local[along];
      beside[along] = (beside[along] + local[along]) % local[along];
      int& found = of[static_cast<std::size_t>(i)] = site(beside);
      if (inside || !split(d)) continue;
      const Parity p = found / (sites_ / 2);
      const auto& list = faces[static_cast<std::size_t>(p)];  // the neighbour's list: its lattice is like mine
      found = halo(d, p) + static_cast<int>(std::lower_bound(list.begin(), list.end(), found) - list.begin());
    }
  }
}

Lattice::~Lattice() { MPI_Comm_free(&comm_); }

Four Lattice::global() const {
  Four all = local_;
  for (std::size_t dim = 0; dim < 4; ++dim) all[dim] *= grid_[dim];
  return all;
}

int Lattice::site(const Four& x) const {
  const int natural = x[0] + local_[0] * (x[1] + local_[1] * (x[2] + local_[2] * x[3]));
  return natural / 2 + first((x[0] + x[1] + x[2] + x[3]) % 2);
}

Four Lattice::rank_at(int rank) const {
  Four found{};
  MPI_Cart_coords(comm_, rank, 4, found.data());
  return found;
}

Four Lattice::global_at(int site, const Four& rank_at) const {
  Four x = at(site);
  for (std::size_t dim = 0; dim < 4; ++dim) x[dim] += rank_at[dim] * local_[dim];
  return x;
}

int Lattice::face_sites(Direction d) const { return sites_ / local_[static_cast<std::size_t>(axis(d))] / 2; }

std::vector<int> Lattice::face(Direction d, Parity p) const {
  const auto along = static_cast<std::size_t>(axis(d));
  std::vector<int> found;
  for (int i = first(p); i < past(p); ++i) {
    if (at(i)[along] == (forward(d) ? 0 : local_[along] - 1)) found.push_back(i);
  }
  return found;
}

}  // namespace lattice
