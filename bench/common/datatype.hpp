// bench/common/datatype.hpp: MPI datatypes that free themselves, so that a nested type reads as one
// expression.
//
//   const Type element = contiguous(3, MPI_DOUBLE);
//   const Type column = vector(1024, 1, 1024, element);        // one column of a matrix of three doubles
//   const Type transposed = contiguous(1024, resized(column, 0, 24));
#pragma once

#include <mpi.h>

#include <initializer_list>
#include <utility>
#include <vector>

namespace heddle::bench {

/// A datatype: a predefined one, or a derived one that is freed with this object. Types built from
/// it stay valid (MPI-5.0 §5.1.9).
class Type {
 public:
  Type(MPI_Datatype predefined)
      : handle_{predefined} {}  // implicit, so that MPI_DOUBLE can be passed for a parameter of type Type
  static Type adopt(MPI_Datatype derived) {
    Type type{derived};
    type.owned_ = true;
    return type;
  }
  Type(Type&& other) noexcept : handle_{other.handle_}, owned_{std::exchange(other.owned_, false)} {}
  Type& operator=(Type&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owned_, other.owned_);
    return *this;
  }
  ~Type() {
    if (owned_) MPI_Type_free(&handle_);
  }

  operator MPI_Datatype() const { return handle_; }
  MPI_Datatype* address() { return &handle_; }

 private:
  MPI_Datatype handle_;
  bool owned_ = false;
};

/// One member of a struct type.
struct Field {
  int blocks;
  MPI_Aint at;
  const Type& type;
};

Type contiguous(int count, const Type& of);
Type vector(int count, int block, int stride, const Type& of);
Type hvector(int count, int block, MPI_Aint stride, const Type& of);
Type indexed(const std::vector<int>& lengths, const std::vector<int>& at, const Type& of);
Type indexed_block(int block, const std::vector<int>& at, const Type& of);
Type structure(const std::vector<Field>& fields);
Type resized(const Type& of, MPI_Aint lower, MPI_Aint extent);
/// A box of an array in C order (last dimension contiguous).
Type box(const std::vector<int>& array, const std::vector<int>& size, const std::vector<int>& start, const Type& of);

}  // namespace heddle::bench
