// fft2d/pipeline.cpp: see pipeline.hpp.
#include "pipeline.hpp"

namespace fft2d {
namespace {

Slab mine(int n, MPI_Comm comm) {
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  return slab(n, ranks, me);
}

template <class F>
void timed(double& sum, F&& work) {
  const double start = MPI_Wtime();
  work();
  sum += MPI_Wtime() - start;
}

}  // namespace

Pipeline::Pipeline(int rows, int columns, const Filter& filter, Way way, MPI_Comm comm)
    : Pipeline(mine(rows, comm), mine(columns, comm), rows, columns, filter, way, comm) {}

Pipeline::Pipeline(Slab rows, Slab columns, int all_rows, int all_columns, const Filter& filter, Way way, MPI_Comm comm)
    : picture(rows.count, all_columns),
      spectrum(columns.count, all_rows),
      comm_(comm),
      rows_(rows),
      columns_(columns),
      all_columns_(all_columns),
      filter_(filter),
      buffers_(way.variant, picture.size() < spectrum.size() ? spectrum : picture),
      there_(all_rows, all_columns, way.exchange, buffers_, comm),
      back_(all_columns, all_rows, way.exchange, buffers_, comm),
      forward_rows_(picture, FFTW_FORWARD),
      forward_columns_(spectrum, FFTW_FORWARD),
      backward_columns_(spectrum, FFTW_BACKWARD),
      backward_rows_(picture, FFTW_BACKWARD) {}

void Pipeline::forward(Times& times) {
  timed(times.transforms, [&] { forward_rows_(picture); });
  timed(times.waiting, [&] { MPI_Barrier(comm_); });
  timed(times.forward_transpose, [&] { there_(picture, spectrum); });
  timed(times.transforms, [&] { forward_columns_(spectrum); });
}

void Pipeline::filter_and_back(Times& times) {
  timed(times.transforms, [&] { filter_(spectrum, columns_, all_columns_); });
  timed(times.transforms, [&] { backward_columns_(spectrum); });
  timed(times.waiting, [&] { MPI_Barrier(comm_); });
  timed(times.backward_transpose, [&] { back_(spectrum, picture); });
  timed(times.transforms, [&] { backward_rows_(picture); });
}

Times Pipeline::run() {
  Times times;
  MPI_Barrier(comm_);
  timed(times.total, [&] {
    forward(times);
    filter_and_back(times);
    MPI_Barrier(comm_);
  });
  MPI_Allreduce(MPI_IN_PLACE, &times, sizeof times / sizeof(double), MPI_DOUBLE, MPI_MAX, comm_);
  return times;
}

}  // namespace fft2d
