// lattice_cg/types.cpp: makes the datatypes of the faces.
#include "types.hpp"

namespace lattice {
namespace {

MPI_Datatype element_type(std::size_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(bytes / sizeof(double)), MPI_DOUBLE, &type);
  return type;
}

/// `pieces` pieces of `length` elements. The next piece begins `distance` elements further on.
MPI_Datatype pieces_of(int pieces, int length, int distance, MPI_Datatype element, std::size_t bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(pieces, length, distance * static_cast<MPI_Aint>(bytes), element, &type);
  return type;
}

MPI_Datatype x_face(const Lattice& lattice, Direction d, Parity p, MPI_Datatype element, std::size_t bytes) {
  const Four n = lattice.local();
  std::vector<int> places;  // those in the first two t
  for (const int site : lattice.face(d, p)) {
    if (lattice.at(site)[3] < 2) places.push_back(site - lattice.face(d, p).front());
  }
  MPI_Datatype pattern = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), element, &pattern);
  const int two_t = n[0] * n[1] * n[2];  // sites of one parity in two t
  const MPI_Datatype type = pieces_of(n[3] / 2, 1, two_t, pattern, bytes);
  MPI_Type_free(&pattern);
  return type;
}

MPI_Datatype face_type(const Lattice& lattice, Direction d, Parity p, MPI_Datatype element, std::size_t bytes) {
  const Four n = lattice.local();
  const int row = n[0] / 2, plane = row * n[1], cube = plane * n[2];
  switch (axis(d)) {
    case 0:
      return x_face(lattice, d, p, element, bytes);
    case 1:
      return pieces_of(n[3] * n[2], row, plane, element, bytes);
    case 2:
      return pieces_of(n[3], plane, cube, element, bytes);
    default:
      return pieces_of(1, cube, cube, element, bytes);
  }
}

}  // namespace

Types::Types(const Lattice& lattice) {
  for (std::size_t e = 0; e < elements; ++e) {
    MPI_Datatype element = element_type(element_bytes[e]);
    for (Direction d = 0; d < directions; ++d) {
      const auto to = static_cast<std::size_t>(d);
      for (Parity p = 0; p < 2; ++p) {
        MPI_Datatype& type = faces_[e][static_cast<std::size_t>(p)][to] = face_type(lattice, d, p, element, element_bytes[e]);
        MPI_Type_commit(&type);
        begin_[to][static_cast<std::size_t>(p)] = lattice.face(d, p).front();
      }
      MPI_Type_contiguous(lattice.face_sites(d), element, &halos_[e][to]);
      MPI_Type_commit(&halos_[e][to]);
    }
    MPI_Type_free(&element);
  }
}

Types::~Types() {
  for (auto& of_element : faces_)
    for (auto& of_parity : of_element)
      for (MPI_Datatype& type : of_parity) MPI_Type_free(&type);
  for (auto& of_element : halos_)
    for (MPI_Datatype& type : of_element) MPI_Type_free(&type);
}

}  // namespace lattice
