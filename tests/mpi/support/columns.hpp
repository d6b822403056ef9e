// A column of a matrix as a datatype, and statuses in which a test sees the fields that a call
// writes.
//
//   const Committed type = column();
//   std::vector<int> numbers = counted(1000);                  // 1000, 1001, ...
//   MPI_Recv(numbers.data(), 1, type, 0, tag, comm, &status);  // numbers[place(k)] is its k-th element
#pragma once

#include <numeric>
#include <vector>

#include "support/rounds.hpp"

namespace heddle::test {

constexpr int tag = 17;

/// A status with values that no call writes, to see which fields a call does write.
inline MPI_Status marked() {
  MPI_Status status{};
  status.MPI_SOURCE = -77;
  status.MPI_TAG = -78;
  status.MPI_ERROR = -79;
  return status;
}

/// 3 of every 5 ints, 20 rows: 60 ints in 98.
inline Committed column() { return Committed("vector(20, 3, 5, int)"); }
inline std::vector<int> counted(int first = 0) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}
inline bool in_column(std::size_t i) { return i < 98 && i % 5 < 3; }
/// The k-th element of the column.
inline std::size_t place(int k) { return static_cast<std::size_t>(k / 3 * 5 + k % 3); }

}  // namespace heddle::test
