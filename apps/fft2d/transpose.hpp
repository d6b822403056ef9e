// fft2d/transpose.hpp: the global transpose, by datatypes (Hoefler and Gottlieb, EuroMPI 2010) or
// by loops.
//
//   before: rank r owns rows of A (rows x columns)      after: rank r owns rows of its transpose (columns x rows)
//
//            to 0   to 1                                       from 0  from 1
//          +------+------+                                   +-------+-------+
//   rank r | a b  | c d  |   one block for each rank         | a . . | e . . |  a block arrives row by row and is
//          | . .  | . .  |   send type: struct complex       | b . . | f . . |  stored column by column
//          +------+------+     -> contiguous -> vector       +-------+-------+  receive type: struct complex
//                              -> resized                                         -> vector -> resized
//
//   variant           packing      MPI moves                                  local transpose
//   zero-copy         -            the send type into the receive type        -
//   local-transpose   -            the send type into a contiguous buffer     a loop, out of that buffer
//   manual            a loop       a contiguous buffer into another           a loop, out of the other
#pragma once

#include <mpi.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "buffer.hpp"
#include "slabs.hpp"

namespace fft2d {

enum class Exchange { automatic, alltoall, alltoallw };
enum class Variant { zero_copy, local_transpose, manual };

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

/// How to transpose: which variant, and by which call.
struct Way {
  Variant variant = Variant::zero_copy;
  Exchange exchange = Exchange::automatic;
};

/// Staging buffers for blocks, as far as the variant needs them. All transposes of a program share
/// them.
struct Buffers {
  std::optional<Matrix> sent, received;
  /// @param like  the largest part that a rank transposes
  Buffers(Variant variant, const Matrix& like);
};

/// The blocks for all ranks, or from all ranks: arguments of MPI_Alltoallw.
struct Blocks {
  std::vector<int> counts, displacements;
  std::vector<MPI_Datatype> types;

  /// @param elements  the block begins after so many elements
  void add(int count, std::size_t elements, MPI_Datatype type);
};

/// Turns slabs of rows of a rows x columns matrix into slabs of rows of its transpose.
class Transpose {
 public:
  /// @param exchange  alltoall needs rows and columns that P divides (else std::invalid_argument).
  /// alltoallw takes any.
  /// @param buffers  those of the variant. With them, a rank's part is 2 GiB at most (else
  /// std::invalid_argument).
  Transpose(int rows, int columns, Exchange exchange, Buffers& buffers, MPI_Comm comm);

  /// `from`: my rows of the matrix. `to`: my rows of the transpose.
  void operator()(const Matrix& from, Matrix& to) const;

  [[nodiscard]] bool even() const { return even_; }  ///< P divides both sizes: calls MPI_Alltoall, not MPI_Alltoallw.

 private:
  MPI_Comm comm_;
  bool even_;
  Buffers& buffers_;
  std::vector<Slab> columns_;  // of all ranks
  Blocks send_, receive_;
  std::deque<Type> owned_;
};

}  // namespace fft2d
