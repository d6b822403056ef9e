// Large noncontiguous messages of ints: a datatype, memory for it, and the sent and the expected
// data. The content of a message depends only on its number, so one type can send it and another
// can check it.
//
//   Large column(Shape::columns, 64 << 10);
//   column.fill(7);                                              // message number 7
//   MPI_Send(column.base(), column.count(), column.type(), ...);
//   ...
//   EXPECT_EQ(other.wrong(7), "");                               // every element in its place, nothing else touched
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/ranks.hpp"

namespace heddle::test {

enum class Shape {
  contiguous,
  rows,       ///< 16 ints of every 32.
  pairs,      ///< 2 ints of every 5.
  columns,    ///< 64 columns of a matrix, one after the other: a transpose.
  scattered,  ///< Blocks and gaps of 1 ... 7 ints.
  structs,    ///< Many elements with 1 and 5 ints in 12.
};

class Large {
 public:
  /// @param bytes  Rounded up to a multiple of 768, which all shapes can have.
  Large(Shape shape, std::size_t bytes);
  ~Large();
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;

  /// Clears all memory, as if never touched.
  void clear();
  void fill(std::uint32_t message);
  /// The first mistake in memory that received the first `ints` ints of a message after clear().
  /// Empty: none.
  [[nodiscard]] std::string wrong(std::uint32_t message, std::size_t ints) const;
  [[nodiscard]] std::string wrong(std::uint32_t message) const { return wrong(message, places_.size()); }

  [[nodiscard]] int* base() { return memory_.data() + guard; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int ints() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] int bytes() const { return static_cast<int>(places_.size() * sizeof(int)); }

 private:
  static constexpr std::size_t guard = 16;
  std::vector<std::uint32_t> places_;  // the offset of each element from base(), in packed order
  std::vector<int> memory_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int count_ = 1;
};

/// The shapes of a sender and its receiver.
struct Shapes {
  Shape sent, received;
};
inline constexpr Shapes shapes[] = {{Shape::rows, Shape::rows},         {Shape::columns, Shape::structs},
                                    {Shape::pairs, Shape::contiguous},  {Shape::contiguous, Shape::scattered},
                                    {Shape::scattered, Shape::columns}, {Shape::structs, Shape::pairs}};
inline constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

/// Calls body(shapes, bytes, number) for all sizes with each pair of shapes. `number` is 1, 2, ...
template <class Body>
void each_large(std::initializer_list<std::size_t> sizes, Body body) {
  std::uint32_t number = 0;
  for (const Shapes& pair : shapes)
    for (const std::size_t bytes : sizes) body(pair, bytes, ++number);
}

}  // namespace heddle::test
