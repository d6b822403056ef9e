// Large noncontiguous messages of ints: a datatype, memory for it, what is sent and what must have arrived. What a message says
// depends on its number alone, so that it can be sent by one type and checked in another.
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
  rows,       ///< 16 of every 32.
  pairs,      ///< 2 of every 5.
  columns,    ///< 64 columns of a matrix, one after the other: a transpose.
  scattered,  ///< Blocks and gaps of 1 … 7.
  structs,    ///< Many elements of 1 and 5 in 12.
};

class Large {
 public:
  /// @param bytes  Rounded up to what all shapes can have: 768.
  Large(Shape shape, std::size_t bytes);
  ~Large();
  Large(const Large&) = delete;
  Large& operator=(const Large&) = delete;

  /// All memory as if never touched.
  void clear();
  void fill(std::uint32_t message);
  /// What is wrong with memory that received the first `ints` of a message after clear(); empty if nothing.
  [[nodiscard]] std::string wrong(std::uint32_t message, std::size_t ints) const;
  [[nodiscard]] std::string wrong(std::uint32_t message) const { return wrong(message, places_.size()); }

  [[nodiscard]] int* base() { return memory_.data() + guard; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] int ints() const { return static_cast<int>(places_.size()); }
  [[nodiscard]] int bytes() const { return static_cast<int>(places_.size() * sizeof(int)); }

 private:
  static constexpr std::size_t guard = 16;
  std::vector<std::uint32_t> places_;  // of each element in packed order, from base()
  std::vector<int> memory_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  int count_ = 1;
};

/// A sender's shape and a receiver's.
struct Shapes {
  Shape sent, received;
};
inline constexpr Shapes shapes[] = {{Shape::rows, Shape::rows},         {Shape::columns, Shape::structs},
                                    {Shape::pairs, Shape::contiguous},  {Shape::contiguous, Shape::scattered},
                                    {Shape::scattered, Shape::columns}, {Shape::structs, Shape::pairs}};
inline constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

/// body(shapes, bytes, number), number = 1, 2, ...: of each pair of shapes all sizes.
template <class Body>
void each_large(std::initializer_list<std::size_t> sizes, Body body) {
  std::uint32_t number = 0;
  for (const Shapes& pair : shapes)
    for (const std::size_t bytes : sizes) body(pair, bytes, ++number);
}

}  // namespace heddle::test
