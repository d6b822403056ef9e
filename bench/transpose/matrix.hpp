// bench/transpose/matrix.hpp: an n × n matrix of three doubles (Balaji et al. 2007, §5.2), and
// loops that transpose it.
#pragma once

#include <string>

#include "common/datatype.hpp"
#include "common/memory.hpp"

namespace heddle::bench::transpose {

constexpr long doubles = 3, element_bytes = doubles * static_cast<long>(sizeof(double));

class Matrix {
 public:
  Matrix(long n, Origin origin);
  double* data() const { return memory_.as<double>(); }
  int count() const { return static_cast<int>(n_ * n_ * doubles); }  ///< doubles
  long bytes() const { return n_ * n_ * element_bytes; }

  void write(long number) const;  ///< Writes message `number`, in the order of memory.
  void wipe() const;
  void turn_into(double* to) const;               ///< Packs column after column by a loop.
  std::string compare_turned(long number) const;  ///< The difference to the transposed message `number`, or "".
  std::string compare(long number) const;

 private:
  Memory memory_;
  long n_;
};

/// The matrix column after column, committed.
Type column_major(long n);

}  // namespace heddle::bench::transpose
