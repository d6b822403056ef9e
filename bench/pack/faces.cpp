// bench/pack/faces.cpp: faces and halos of 3-D and 4-D grids, as subarrays. "last" faces have only
// a few elements of the innermost dimension, and are irregular. The others have whole rows.
#include <fmt/format.h>

#include <numeric>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

/// A box at the origin of an array of elements of `doubles` doubles each.
Case box_case(std::string name, Pattern pattern, int doubles, const std::vector<int>& array, const std::vector<int>& size) {
  return {.name = std::move(name), .family = "face", .pattern = pattern, .build = [=](std::byte*) {
            const std::vector<int> origin(array.size(), 0);
            return doubles == 1 ? box(array, size, origin, MPI_DOUBLE)
                                : box(array, size, origin, contiguous(doubles, MPI_DOUBLE));
          }};
}

/// One face of a 4-D lattice with n sites a side, perpendicular to dimension `cut` (0 outermost),
/// `width` sites deep.
Case lattice_face(int n, int cut, int width) {
  static const char* const along[] = {"t", "z", "y", "x"};
  std::vector<int> size(4, n);
  size[cut] = width;
  return box_case(fmt::format("face4d_{}_{}_width{}", n, along[cut], width), cut == 3 ? Pattern::irregular : Pattern::regular,
                  3, std::vector<int>(4, n), size);
}

}  // namespace

void add_faces(Catalogue& to) {
  to.push_back(box_case("face3d_128_last", Pattern::irregular, 1, {128, 128, 128}, {128, 128, 1}));
  to.push_back(box_case("face3d_128_middle", Pattern::regular, 1, {128, 128, 128}, {128, 1, 128}));
  to.push_back(box_case("face3d_128_first", Pattern::regular, 1, {128, 128, 128}, {1, 128, 128}));
  to.push_back(box_case("halo2_3d_128_last", Pattern::irregular, 1, {128, 128, 128}, {126, 126, 2}));
  to.push_back(box_case("halo3_3d_66_last", Pattern::irregular, 1, {66, 66, 66}, {60, 60, 3}));
  to.push_back(box_case("lattice24_16_last", Pattern::irregular, 3, {256, 16, 16}, {256, 16, 1}));
  to.push_back(box_case("lattice24_16_middle", Pattern::regular, 3, {256, 16, 16}, {256, 1, 16}));
  for (const int n : {32, 400}) {
    to.push_back(box_case(fmt::format("face3d_{}_last", n), Pattern::irregular, 1, {n, n, n}, {n, n, 1}));
    to.push_back(box_case(fmt::format("face3d_{}_middle", n), Pattern::regular, 1, {n, n, n}, {n, 1, n}));
    to.push_back(box_case(fmt::format("face3d_{}_first", n), Pattern::regular, 1, {n, n, n}, {1, n, n}));
  }
  for (const int n : {8, 16, 32})
    for (int cut = 0; cut < 4; ++cut) to.push_back(lattice_face(n, cut, 1));
  for (int cut = 0; cut < 4; ++cut) to.push_back(lattice_face(32, cut, 2));
}

}  // namespace heddle::bench::pack
