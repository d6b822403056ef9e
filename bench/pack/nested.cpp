// bench/pack/nested.cpp: types of several nested constructors: a struct of a vector of an index
// list, vectors of structs, lists of boxes.
#include <fmt/format.h>

#include "pack/catalogue.hpp"

namespace heddle::bench::pack {
namespace {

Case nested_case(const char* what, int scale, std::function<Type(std::byte*)> build, int count = 1) {
  return {.name = fmt::format("nested_{}_x{}", what, scale),
          .family = "nested",
          .pattern = Pattern::irregular,
          .build = std::move(build),
          .count = count};
}

/// A struct of a counter, a vector of `rows` index lists of doubles, and a strided tail of floats.
Type struct_of_vector_of_indexed(int rows) {
  constexpr MPI_Aint row = 128;
  const Type list = indexed({2, 1, 3, 1}, {0, 3, 5, 11}, MPI_DOUBLE);
  const Type table = hvector(rows, 1, row, list);
  const Type tail = vector(rows, 1, 2, MPI_FLOAT);
  const MPI_Aint table_at = 8;
  return structure({{1, 0, MPI_INT}, {1, table_at, table}, {1, table_at + rows * row, tail}});
}

/// Every fourth of an array of padded structs.
Type vector_of_structs(int count) {
  const Type one = resized(structure({{1, 0, MPI_INT}, {3, 8, MPI_DOUBLE}}), 0, 40);
  return vector(count, 1, 4, one);
}

/// Boxes of 4 × 4 × 4 doubles, each in a grid of 8 × 8 × 8. A list selects the grids
/// (block-structured refinement).
Type list_of_boxes(int count) {
  const Type corner = box({8, 8, 8}, {4, 4, 4}, {2, 2, 2}, MPI_DOUBLE);
  std::vector<int> at;
  at.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) at.push_back(i * 2 + (i * i) % 2 + i / 3);
  return indexed_block(1, at, corner);
}

/// The lower triangle of an n × n matrix of three doubles. Takes the first two doubles of each
/// element.
Type triangle_of_pairs(int n) {
  const Type pair = resized(contiguous(2, MPI_DOUBLE), 0, 24);
  std::vector<int> lengths, at;
  for (int row = 0; row < n; ++row) {
    lengths.push_back(row + 1);
    at.push_back(row * n);
  }
  return indexed(lengths, at, pair);
}

}  // namespace

void add_nested(Catalogue& to) {
  for (const int scale : {64, 2'048, 65'536}) {
    to.push_back(nested_case("struct_vector_indexed", scale, [=](std::byte*) { return struct_of_vector_of_indexed(scale); }));
    to.push_back(nested_case("vector_struct", scale, [=](std::byte*) { return vector_of_structs(scale); }));
  }
  for (const int scale : {16, 256, 4'096})
    to.push_back(nested_case("list_of_boxes", scale, [=](std::byte*) { return list_of_boxes(scale); }));
  for (const int scale : {32, 256, 1'024})
    to.push_back(nested_case("triangle_of_pairs", scale, [=](std::byte*) { return triangle_of_pairs(scale); }));
}

}  // namespace heddle::bench::pack
