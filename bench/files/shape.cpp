// bench/files/shape.cpp: see shape.hpp.
#include "files/shape.hpp"

#include <mpi.h>

namespace heddle::bench::files {
namespace {

/// An array of two to four dimensions in blocks, one for each rank of a grid.
Shape block_of(const std::vector<long>& array, const std::vector<int>& grid, int rank, long ghosts, long site = 1) {
  Shape shape{.whole = {1, 1, 1, 1}, .size = {1, 1, 1, 1}, .start = {}, .halo = {}, .gap = 0, .site = site};
  for (std::size_t d = array.size(); d-- > 0;) {
    const std::size_t at = d == 0 ? 0 : d + 4 - array.size();
    const long mine = rank % grid[d], first = array[d] * mine / grid[d];
    shape.whole[at] = array[d];
    shape.start[at] = first;
    shape.size[at] = array[d] * (mine + 1) / grid[d] - first;
    shape.halo[at] = ghosts;
    rank /= grid[d];
  }
  return shape;
}

std::vector<int> grid_of(int ranks, int dimensions) {
  std::vector<int> grid(static_cast<std::size_t>(dimensions));
  MPI_Dims_create(ranks, dimensions, grid.data());
  return grid;
}

std::string with_ghosts(const std::string& name, long ghosts) {
  if (ghosts == 0) return name;
  return name + ", " + std::to_string(ghosts) + (ghosts == 1 ? " ghost cell" : " ghost cells");
}

/// Columns of a square matrix of doubles. Two cases have a smaller matrix, which saves time.
void add_matrix(std::vector<Case>& made, long n) {
  const auto columns = [](long side, long ghosts) {
    return [=](int rank, int ranks) { return block_of({side, side}, {1, ranks}, rank, ghosts); };
  };
  for (const long ghosts : {0, 1, 2}) made.push_back({with_ghosts("matrix", ghosts), columns(ghosts == 2 ? n / 2 : n, ghosts)});
  made.push_back({.name = "matrix, by pointer", .shape = columns(n / 2, 0), .pointer = true});
}

/// A cube in blocks, from memory with ghost cells: HDF5's hyperslabs become such types.
void add_blocks(std::vector<Case>& made, long n) {
  made.push_back({with_ghosts("blocks", 1), [n](int rank, int ranks) {
                    return block_of({n, n, n}, grid_of(ranks, 3), rank, 1);
                  }});
}

/// Two blocks of memory, with a gap of 16 bytes between them
/// (github.com/pmodels/mpich/issues/6985).
void add_gap(std::vector<Case>& made, long block, long rows) {
  const auto gapped = [](Shape shape) {
    shape.gap = 2;
    return shape;
  };
  const auto piece = [=](int rank, int ranks) { return gapped(block_of({2L * ranks, block}, {ranks, 1}, rank, 0)); };
  made.push_back({.name = "gap", .shape = piece, .view = false});
  made.push_back({.name = "gap, independent", .shape = piece, .view = false, .independent = true});
  made.push_back({"gap, columns of 16 B", [=](int rank, int ranks) {
                    return gapped(block_of({rows, 2L * ranks}, {1, ranks}, rank, 0));
                  }});
}

/// Rows of a matrix, contiguous in memory and in the file.
void add_rows(std::vector<Case>& made, const std::vector<long>& lengths) {
  for (const long kib : lengths) {
    const long words = kib * 1024 / word_bytes;
    const auto row = [=](int rank, int ranks) { return block_of({ranks, words}, {ranks, 1}, rank, 0); };
    made.push_back({.name = "rows of " + std::to_string(kib) + " KiB", .shape = row, .view = false});
  }
}

/// A lattice of four dimensions (github.com/pmodels/mpich/issues/7935).
void add_lattice(std::vector<Case>& made, long n) {
  for (const long site : {1, 3})
    made.push_back({with_ghosts("lattice, " + std::to_string(site * word_bytes) + " B", 1), [=](int rank, int ranks) {
                      return block_of({n, n, n, n}, grid_of(ranks, 4), rank, 1, site);
                    }});
}

/// A box as MPI's type. Dimensions of one element are left out.
Type box_of(const Four& array, const Four& size, const Four& start, const Type& element) {
  std::vector<int> arrays, sizes, starts;
  for (std::size_t d = 0; d < 4; ++d) {
    if (array[d] == 1) continue;
    arrays.push_back(static_cast<int>(array[d]));
    sizes.push_back(static_cast<int>(size[d]));
    starts.push_back(static_cast<int>(start[d]));
  }
  return box(arrays, sizes, starts, element);
}

}  // namespace

long Shape::memory_words() const {
  long all = site;
  for (std::size_t d = 0; d < 4; ++d) all *= size[d] + 2 * halo[d];
  return all + gap;
}

long Shape::words_within(long first, long last) const {
  const long indices = std::min(last, start[0] + size[0]) - std::max(first, start[0]);
  return indices <= 0 ? 0 : indices * (words() / size[0]);
}

long Shape::file_start() const {
  return (((start[0] * whole[1] + start[1]) * whole[2] + start[2]) * whole[3] + start[3]) * site;
}

Type Shape::element() const { return site == 1 ? Type(MPI_DOUBLE) : contiguous(static_cast<int>(site), MPI_DOUBLE); }

Type Shape::file_type() const { return box_of(whole, size, start, element()); }

Type Shape::memory_type() const {
  if (gap > 0) {
    const long first = words() / size[0];
    return indexed({static_cast<int>(first), static_cast<int>(words() - first)}, {0, static_cast<int>(first + gap)},
                   MPI_DOUBLE);
  }
  Four wide;
  for (std::size_t d = 0; d < 4; ++d) wide[d] = size[d] + 2 * halo[d];
  return box_of(wide, size, halo, element());
}

std::vector<Case> cases(const std::vector<std::string>& groups, bool quick) {
  std::vector<Case> made;
  for (const std::string& group : groups) {
    if (group == "matrix") add_matrix(made, quick ? 384 : 2048);
    if (group == "blocks") add_blocks(made, quick ? 48 : 128);
    if (group == "gap") add_gap(made, quick ? 8 << 10 : 64 << 10, quick ? 1024 : 4096);
    if (group == "rows") add_rows(made, quick ? std::vector<long>{1} : std::vector<long>{4, 512});
    if (group == "lattice") add_lattice(made, quick ? 14 : 24);
  }
  return made;
}

}  // namespace heddle::bench::files
