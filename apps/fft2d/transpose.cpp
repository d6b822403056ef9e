// fft2d/transpose.cpp: the two datatypes and the one call.
#include "transpose.hpp"

#include <stdexcept>
#include <string>

#include "slabs.hpp"

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

/// `width` columns of all `rows` rows; the next such block starts where the first row of this one ends.
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

/// One column of the `rows` x `columns` matrix that I receive into; the next starts one element to the right.
MPI_Datatype make_receive_type(int rows, int columns) {
  MPI_Datatype complex = make_complex(), column = MPI_DATATYPE_NULL, type = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, columns, complex, &column);
  MPI_Type_create_resized(column, 0, sizeof(Complex), &type);
  for (MPI_Datatype* used : {&complex, &column}) MPI_Type_free(used);
  return commit(type);
}

}  // namespace

Transpose::Transpose(int rows, int columns, Exchange exchange, MPI_Comm comm) : comm_(comm) {
  int ranks = 0, me = 0;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &me);
  even_ = exchange != Exchange::alltoallw && rows % ranks == 0 && columns % ranks == 0;
  if (exchange == Exchange::alltoall && !even_) {
    throw std::invalid_argument("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                " does not divide over " + std::to_string(ranks) +
                                " ranks, so MPI_Alltoall cannot carry it. Use --exchange alltoallw.");
  }
  const int my_rows = slab(rows, ranks, me).count, my_columns = slab(columns, ranks, me).count;
  const MPI_Datatype receive = owned_.emplace_back(make_receive_type(my_columns, rows));
  for (int peer = 0; peer < ranks; ++peer) {
    const auto [first_column, width] = slab(columns, ranks, peer);
    const auto [first_row, height] = slab(rows, ranks, peer);
    const bool new_width = peer == 0 || width != slab(columns, ranks, peer - 1).count;
    send_types_.push_back(new_width ? owned_.emplace_back(make_send_type(my_rows, columns, width)) : send_types_.back());
    send_counts_.push_back(my_rows > 0 && width > 0 ? 1 : 0);
    send_displacements_.push_back(first_column * static_cast<int>(sizeof(Complex)));
    receive_types_.push_back(receive);
    receive_counts_.push_back(my_columns > 0 ? height : 0);
    receive_displacements_.push_back(first_row * static_cast<int>(sizeof(Complex)));
  }
  send_count_ = send_counts_[0];
  receive_count_ = receive_counts_[0];
}

void Transpose::operator()(const Matrix& from, Matrix& to) const {
  if (even_) {
    MPI_Alltoall(from.data(), send_count_, send_types_[0], to.data(), receive_count_, receive_types_[0], comm_);
  } else {
    MPI_Alltoallw(from.data(), send_counts_.data(), send_displacements_.data(), send_types_.data(), to.data(),
                  receive_counts_.data(), receive_displacements_.data(), receive_types_.data(), comm_);
  }
}

}  // namespace fft2d
