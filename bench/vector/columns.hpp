// bench/vector/columns.hpp: k columns of a matrix of 128 × 4096 ints (Wu, Wyckoff, Panda 2004,
// §2.2). Also the same bytes without holes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/memory.hpp"

namespace heddle::bench::columns {

constexpr long rows = 128, row_ints = 4096;
constexpr std::size_t matrix_bytes = rows * row_ints * sizeof(std::int32_t);

/// The number of messages with separate places. Neighbours may share a matrix.
struct Layout {
  long columns = 1;
  long places = 1;
  bool own_matrix = false;  ///< Each place is in another array, so caches and registrations do not help.
};

/// The value of message `number` at int `i` of its packed form.
inline std::int32_t word(long number, long i) { return static_cast<std::int32_t>(number * 7919 + i * 3); }

/// Column blocks of matrices. Place p is the block next to that of place p - 1, or it is in another
/// matrix.
class Columns {
 public:
  Columns(const Layout& layout, Origin origin);
  std::int32_t* at(long place) const;
  void write(long number) const;  ///< Writes message `number` into its place.
  void pack(long number, std::int32_t* to) const;
  void unpack(long number, const std::int32_t* from) const;
  void wipe() const;
  std::string compare(long messages) const;  ///< The difference to messages 0 ... messages - 1, or "".

 private:
  Layout layout_;
  long in_a_matrix_, matrices_;
  Memory memory_;
};

/// The messages as contiguous bytes.
class Flat {
 public:
  Flat(const Layout& layout, Origin origin);
  std::int32_t* at(long place) const;
  void write(long number) const;
  void wipe() const;
  std::string compare(long messages) const;

 private:
  Layout layout_;
  long ints_, distance_;
  Memory memory_;
};

}  // namespace heddle::bench::columns
