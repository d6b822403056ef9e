// fft2d/picture.hpp: grey pictures as binary PGM files (8 bits a pixel), and tiling them over a matrix.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "buffer.hpp"
#include "slabs.hpp"

namespace fft2d {

struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;
};

/// Reads a P5 file with at most 255 grey levels. std::runtime_error says what is wrong with it.
Picture read_pgm(const std::string& path);
void write_pgm(const std::string& path, const Picture& picture);

/// A picture of our own, when none is given: discs and stripes of many sizes.
Picture synthetic(int width, int height);

/// The rows `mine` of the plane tiled with the picture, as complex numbers.
void tile(const Picture& picture, Slab mine, Matrix& rows);

/// Rank 0's picture on every rank.
void broadcast(Picture& picture, MPI_Comm comm);

/// All ranks' rows, their real parts rounded to grey levels, on rank 0 (elsewhere: empty).
Picture gather(const Matrix& rows, int height, MPI_Comm comm);

}  // namespace fft2d
