// fft2d/picture.hpp: reads and writes grey pictures (binary PGM, 8 bits a pixel), fills a matrix
// with them, and moves them between ranks.
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

/// Reads a P5 file with at most 255 grey levels. Throws std::runtime_error if the file is not such
/// a file.
Picture read_pgm(const std::string& path);
void write_pgm(const std::string& path, const Picture& picture);

/// A test picture: discs and stripes of many sizes.
Picture synthetic(int width, int height);

/// Fills `rows` with the rows `mine` of a plane in which the picture repeats, as complex numbers.
void tile(const Picture& picture, Slab mine, Matrix& rows);

/// Gives rank 0's picture to all ranks.
void broadcast(Picture& picture, MPI_Comm comm);

/// Collects the rows of all ranks on rank 0, with real parts rounded to grey levels. Empty on other
/// ranks.
Picture gather(const Matrix& rows, int height, MPI_Comm comm);

}  // namespace fft2d
