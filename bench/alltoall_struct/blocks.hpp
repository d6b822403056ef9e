// bench/alltoall_struct/blocks.hpp: structs for all ranks. A struct has blocks of 1, 2, 4 ... x
// ints, and a gap of one int after each block (Wu, Wyckoff, Panda 2004, figure 8).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/datatype.hpp"
#include "common/memory.hpp"

namespace heddle::bench::blocks {

/// The places of the blocks of one struct, in ints.
struct Shape {
  explicit Shape(long largest);
  Type type() const;  ///< Committed; structs lie one behind the other.

  std::vector<long> at, length;
  long ints = 0;    ///< ints of data
  long extent = 0;  ///< ints of data and gaps
};

/// Structs for all ranks, in one piece of memory.
class Structs {
 public:
  Structs(const Shape& shape, int ranks, Origin origin);
  std::int32_t* data() const { return memory_.as<std::int32_t>(); }
  void write(long number, int from) const;  ///< Writes the data of rank `from` for all ranks in exchange `number`.
  void wipe() const;
  void pack(std::int32_t* to) const;
  void unpack(const std::int32_t* from) const;
  std::string compare(long number,
                      int to) const;  ///< The difference to the data of all ranks for rank `to`, over wiped memory.

 private:
  void fill(int place, long number, int from, int to) const;

  const Shape& shape_;
  int ranks_;
  Memory memory_;
};

/// The same data without gaps.
class Flat {
 public:
  Flat(const Shape& shape, int ranks, Origin origin);
  std::int32_t* data() const { return memory_.as<std::int32_t>(); }
  void write(long number, int from) const;
  void wipe() const;
  std::string compare(long number, int to) const;

 private:
  long ints_;
  int ranks_;
  Memory memory_;
};

}  // namespace heddle::bench::blocks
