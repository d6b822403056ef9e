// fft2d/transpose.cpp: see transpose.hpp.
#include "transpose.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "loops.hpp"

namespace fft2d {
namespace {

MPI_Datatype commit(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

MPI_Datatype make_complex() {
  const int lengths[] = {1, 1};
  const MPI_Aint at[] = {0, sizeof(double)};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_DOUBLE};
  MPI_Datatype complex = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, at, parts, &complex);
  return complex;
}

/// `width` columns of all `rows` rows. The next block starts where the first row of this one ends.
MPI_Datatype make_send_type(int rows, int columns, int width) {
  constexpr MPI_Aint element = sizeof(Complex);
  MPI_Datatype complex = make_complex(), block = MPI_DATATYPE_NULL, blocks = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(width, complex, &block);
  if (width > 0 && columns % width == 0) {
    MPI_Type_vector(rows, 1, columns / width, block, &blocks);
  } else {
    MPI_Type_create_hvector(rows, 1, columns * element, block, &blocks);
  }
  MPI_Type_create_resized(blocks, 0, width * element, &type);
  for (MPI_Datatype* used : {&complex, &block, &blocks}) MPI_Type_free(used);
  return commit(type);
}

/// One column of the `rows` x `columns` matrix that I receive into. The next column starts one
/// element to the right.
MPI_Datatype make_receive_type(int rows, int columns) {
  MPI_Datatype complex = make_complex(), column = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, columns, complex, &column);
  MPI_Type_create_resized(column, 0, sizeof(Complex), &type);
  for (MPI_Datatype* used : {&complex, &column}) MPI_Type_free(used);
  return commit(type);
}

std::size_t area(int rows, int columns) { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }

int doubles(int rows, int columns) { return static_cast<int>(2 * area(rows, columns)); }

}  // namespace

Buffers::Buffers(Variant variant, const Matrix& like) {
  if (variant == Variant::manual) sent.emplace(like.rows(), like.columns());
  if (variant != Variant::zero_copy) received.emplace(like.rows(), like.columns());
}

void Blocks::add(int count, std::size_t elements, MPI_Datatype type) {
  counts.push_back(count);
  displacements.push_back(static_cast<int>(elements * sizeof(Complex)));
  types.push_back(type);
}

Transpose::Transpose(int rows, int columns, Exchange exchange, Buffers& buffers, MPI_Comm comm)
    : comm_(comm), buffers_(buffers) {
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  even_ = exchange != Exchange::alltoallw && rows % ranks == 0 && columns % ranks == 0;
  if (exchange == Exchange::alltoall && !even_) {
    throw std::invalid_argument("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                " does not divide over " + std::to_string(ranks) +
                                " ranks, so MPI_Alltoall cannot carry it. Use --exchange alltoallw.");
  }
  const std::size_t part = std::max(area(slab(rows, ranks, 0).count, columns), area(rows, slab(columns, ranks, 0).count));
  if (buffers.received && part * sizeof(Complex) > std::numeric_limits<int>::max()) {  // the same on all ranks
    throw std::invalid_argument(
        "a rank's part of the matrix is over 2 GiB, and MPI counts its blocks with an int. Use more "
        "ranks, or --variant zero-copy.");
  }
  const Slab my_rows = slab(rows, ranks, me), my_columns = slab(columns, ranks, me);
  const MPI_Datatype column = owned_.emplace_back(make_receive_type(my_columns.count, rows));
  for (int peer = 0; peer < ranks; ++peer) {
    const Slab theirs = columns_.emplace_back(slab(columns, ranks, peer)), from = slab(rows, ranks, peer);
    if (buffers.sent) {
      send_.add(doubles(my_rows.count, theirs.count), area(my_rows.count, theirs.first), MPI_DOUBLE);
    } else {
      const bool new_width = peer == 0 || theirs.count != columns_[columns_.size() - 2].count;
      if (new_width) owned_.emplace_back(make_send_type(my_rows.count, columns, theirs.count));
      send_.add(my_rows.count > 0 && theirs.count > 0 ? 1 : 0, area(1, theirs.first), owned_.back());
    }
    if (buffers.received) {
      receive_.add(doubles(from.count, my_columns.count), area(from.first, my_columns.count), MPI_DOUBLE);
    } else {
      receive_.add(my_columns.count > 0 ? from.count : 0, area(1, from.first), column);
    }
  }
}

void Transpose::operator()(const Matrix& from, Matrix& to) const {
  if (buffers_.sent) pack(from, columns_, buffers_.sent->data());
  const Complex* source = buffers_.sent ? buffers_.sent->data() : from.data();
  Complex* target = buffers_.received ? buffers_.received->data() : to.data();
  if (even_) {
    MPI_Alltoall(source, send_.counts[0], send_.types[0], target, receive_.counts[0], receive_.types[0], comm_);
  } else {
    MPI_Alltoallw(source, send_.counts.data(), send_.displacements.data(), send_.types.data(), target, receive_.counts.data(),
                  receive_.displacements.data(), receive_.types.data(), comm_);
  }
  if (buffers_.received) turn(target, to.columns(), to.rows(), to.data());
}

}  // namespace fft2d
