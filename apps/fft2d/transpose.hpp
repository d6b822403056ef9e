// fft2d/transpose.hpp: the global transpose, said in datatypes alone (Hoefler and Gottlieb, EuroMPI 2010).
//
//   before: rank r owns rows of A (rows x columns)      after: rank r owns rows of its transpose (columns x rows)
//
//            to 0   to 1                                       from 0  from 1
//          +------+------+                                   +-------+-------+
//   rank r | a b  | c d  |   one block for each rank         | a . . | e . . |  a block arrives row by row and is
//          | . .  | . .  |   send type: struct complex       | b . . | f . . |  laid down column by column
//          +------+------+     -> contiguous -> vector       +-------+-------+  receive type: struct complex
//                              -> resized                                         -> vector -> resized
//
// Nothing is packed, unpacked or transposed by the program.
#pragma once

#include <mpi.h>

#include <deque>
#include <vector>

#include "buffer.hpp"

namespace fft2d {

enum class Exchange { automatic, alltoall, alltoallw };

/// A committed datatype, freed with its owner.
class Type {
 public:
  explicit Type(MPI_Datatype committed) : type_(committed) {}
  ~Type() { MPI_Type_free(&type_); }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};

/// From slabs of rows of a rows x columns matrix to slabs of rows of its transpose.
class Transpose {
 public:
  /// @param exchange  alltoall needs rows and columns that P divides (std::invalid_argument); alltoallw takes any.
  Transpose(int rows, int columns, Exchange exchange, MPI_Comm comm);

  /// `from`: my rows of the matrix. `to`: my rows of the transpose.
  void operator()(const Matrix& from, Matrix& to) const;

  [[nodiscard]] bool even() const { return even_; }  ///< P divides both sizes: MPI_Alltoall; else MPI_Alltoallw.

 private:
  MPI_Comm comm_;
  bool even_;
  int send_count_, receive_count_;  // for MPI_Alltoall
  std::vector<int> send_counts_, send_displacements_, receive_counts_, receive_displacements_;
  std::vector<MPI_Datatype> send_types_, receive_types_;
  std::deque<Type> owned_;
};

}  // namespace fft2d
