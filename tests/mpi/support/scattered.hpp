// A small datatype of 8 of 24 ints, at places that no library finds regular.
//
//   const Committed type(scattered);
//   MPI_Recv(numbers.data(), 1, type, 0, tag, comm, MPI_STATUS_IGNORE);  // numbers has 24 ints
#pragma once

namespace heddle::test {

constexpr auto scattered = "indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)";

}  // namespace heddle::test
