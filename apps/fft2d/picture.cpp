// fft2d/picture.cpp: see picture.hpp.
#include "picture.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace fft2d {
namespace {

int header_number(std::istream& in, const std::string& path) {
  while ((in >> std::ws) && in.peek() == '#') in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  int n = 0;
  if (!(in >> n) || n <= 0) throw std::runtime_error(path + ": not a PGM header. Give a binary grey PGM file (P5).");
  return n;
}

}  // namespace

Picture read_pgm(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw std::runtime_error(path + ": cannot be opened. Give a binary grey PGM file (P5), or no --input for a test picture.");
  char magic[2] = {};
  in.read(magic, 2);
  if (magic[0] != 'P' || magic[1] != '5')
    throw std::runtime_error(path + ": not a binary PGM file (it does not start with P5).");
  Picture picture;
  picture.width = header_number(in, path);
  picture.height = header_number(in, path);
  if (header_number(in, path) > 255)
    throw std::runtime_error(path + ": more than 255 grey levels. Convert it to 8 bits a pixel.");
  in.get();
  const auto size = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  if (size > std::size_t{1} << 31) throw std::runtime_error(path + ": more than 2^31 pixels.");
  picture.pixels.resize(size);
  in.read(reinterpret_cast<char*>(picture.pixels.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::size_t>(in.gcount()) != size) {
    throw std::runtime_error(path + ": ends after " + std::to_string(in.gcount()) + " of " + std::to_string(size) + " pixels.");
  }
  return picture;
}

void write_pgm(const std::string& path, const Picture& picture) {
  std::ofstream out(path, std::ios::binary);
  out << "P5\n" << picture.width << " " << picture.height << "\n255\n";
  out.write(reinterpret_cast<const char*>(picture.pixels.data()), static_cast<std::streamsize>(picture.pixels.size()));
  if (!out.flush()) throw std::runtime_error(path + ": cannot be written. Is the folder there, and room on the disk?");
}

Picture synthetic(int width, int height) {
  Picture picture{width, height, {}};
  picture.pixels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double u = (x - 0.4 * width) / width, v = (y - 0.6 * height) / height;
      const double rings = std::cos(80 * (u * u + v * v)), stripes = std::sin(0.02 * x * (1 + 3.0 * y / height));
      picture.pixels.push_back(static_cast<std::uint8_t>(127.5 + 80 * rings + 40 * stripes));
    }
  }
  return picture;
}

void tile(const Picture& picture, Slab mine, Matrix& rows) {
  for (int i = 0; i < mine.count; ++i) {
    const auto* source = picture.pixels.data() + static_cast<std::ptrdiff_t>((mine.first + i) % picture.height) * picture.width;
    const auto row = rows.row(i);
    for (std::size_t x = 0, from = 0; x < row.size(); ++x) {
      row[x] = source[from];
      if (++from == static_cast<std::size_t>(picture.width)) from = 0;
    }
  }
}

void broadcast(Picture& picture, MPI_Comm comm) {
  int size[2] = {picture.width, picture.height};
  MPI_Bcast(size, 2, MPI_INT, 0, comm);
  picture.width = size[0];
  picture.height = size[1];
  picture.pixels.resize(static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]));
  MPI_Bcast(picture.pixels.data(), static_cast<int>(picture.pixels.size()), MPI_UNSIGNED_CHAR, 0, comm);
}

Picture gather(const Matrix& rows, int height, MPI_Comm comm) {
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  std::vector<std::uint8_t> grey(rows.size());
  std::transform(rows.data(), rows.data() + rows.size(), grey.begin(),
                 [](Complex z) { return static_cast<std::uint8_t>(std::lround(std::clamp(z.real(), 0.0, 255.0))); });
  std::vector<int> counts, displacements;
  for (int rank = 0; rank < ranks; ++rank) {
    counts.push_back(slab(height, ranks, rank).count * rows.columns());
    displacements.push_back(slab(height, ranks, rank).first * rows.columns());
  }
  Picture all;
  if (me == 0) {
    all = {rows.columns(), height, {}};
    all.pixels.resize(static_cast<std::size_t>(rows.columns()) * static_cast<std::size_t>(height));
  }
  MPI_Gatherv(grey.data(), static_cast<int>(grey.size()), MPI_UNSIGNED_CHAR, all.pixels.data(), counts.data(),
              displacements.data(), MPI_UNSIGNED_CHAR, 0, comm);
  return all;
}

}  // namespace fft2d
