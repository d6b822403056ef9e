// fft2d/check.cpp: the serial FFT, the comparison and the fingerprint.
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "slabs.hpp"

namespace fft2d {
namespace {

constexpr int tag = 7;

/// A 2-D transform between a rows x columns matrix and its transposed spectrum. FFTW allows any
/// strides.
Plan transform(Matrix& picture, Matrix& spectrum, int direction) {
  const int rows = picture.rows(), columns = picture.columns();
  if (direction == FFTW_FORWARD) {
    const fftw_iodim dimensions[] = {{rows, columns, 1}, {columns, 1, rows}};
    return Plan(
        fftw_plan_guru_dft(2, dimensions, 0, nullptr, fftw(picture.data()), fftw(spectrum.data()), direction, FFTW_ESTIMATE));
  }
  const fftw_iodim dimensions[] = {{rows, 1, columns}, {columns, rows, 1}};
  return Plan(
      fftw_plan_guru_dft(2, dimensions, 0, nullptr, fftw(spectrum.data()), fftw(picture.data()), direction, FFTW_ESTIMATE));
}

struct Norms {
  double difference = 0, reference = 0;
  void add(const Complex* a, const Complex* b, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      difference += std::norm(a[i] - b[i]);
      reference += std::norm(b[i]);
    }
  }
};

}  // namespace

Serial::Serial(Matrix picture_to_filter) : picture(std::move(picture_to_filter)), spectrum(picture.columns(), picture.rows()) {}

void Serial::forward() {
  const Plan plan = transform(picture, spectrum, FFTW_FORWARD);
  const double start = MPI_Wtime();
  fftw_execute(plan);
  seconds += MPI_Wtime() - start;
}

void Serial::filter(const Filter& response) {
  const Plan plan = transform(picture, spectrum, FFTW_BACKWARD);
  const double start = MPI_Wtime();
  response(spectrum, {0, spectrum.rows()}, spectrum.rows());
  fftw_execute(plan);
  seconds += MPI_Wtime() - start;
}

double relative_error(const Matrix& mine, const Matrix* whole, MPI_Comm comm) {
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  // Row by row, so that rank 0 needs no second copy of everything.
  if (me != 0) {
    for (int i = 0; i < mine.rows(); ++i) MPI_Send(mine.row(i).data(), 2 * mine.columns(), MPI_DOUBLE, 0, tag, comm);
    return 0;
  }
  Norms norms;
  std::vector<Complex> row(static_cast<std::size_t>(mine.columns()));
  for (int i = 0; i < mine.rows(); ++i) norms.add(mine.row(i).data(), whole->row(i).data(), row.size());
  for (int rank = 1; rank < ranks; ++rank) {
    const Slab theirs = slab(whole->rows(), ranks, rank);
    for (int i = 0; i < theirs.count; ++i) {
      MPI_Recv(row.data(), 2 * mine.columns(), MPI_DOUBLE, rank, tag, comm, MPI_STATUS_IGNORE);
      norms.add(row.data(), whole->row(theirs.first + i).data(), row.size());
    }
  }
  return std::sqrt(norms.difference / std::max(norms.reference, 1e-300));
}

std::string fingerprint(const Matrix& mine, int rows, MPI_Comm comm) {
  const auto mix = [](std::uint64_t hash, std::uint64_t word) { return (hash ^ word) * 0x100000001b3u; };
  constexpr std::uint64_t start = 0xcbf29ce484222325u;
  std::vector<std::uint64_t> of_rows;
  for (int i = 0; i < mine.rows(); ++i) {
    std::uint64_t hash = start;
    for (const Complex& z : mine.row(i)) {
      std::uint64_t words[2];
      std::memcpy(words, &z, sizeof words);
      hash = mix(mix(hash, words[0]), words[1]);
    }
    of_rows.push_back(hash);
  }
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  std::vector<int> counts, displacements;
  for (int rank = 0; rank < ranks; ++rank) {
    counts.push_back(slab(rows, ranks, rank).count);
    displacements.push_back(slab(rows, ranks, rank).first);
  }
  std::vector<std::uint64_t> all(static_cast<std::size_t>(rows));
  MPI_Gatherv(of_rows.data(), mine.rows(), MPI_UINT64_T, all.data(), counts.data(), displacements.data(), MPI_UINT64_T, 0,
              comm);
  std::uint64_t hash = start;
  for (const std::uint64_t row : all) hash = mix(hash, row);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

}  // namespace fft2d
