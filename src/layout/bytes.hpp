// layout/bytes.hpp: the units of layout/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace heddle::layout {

using Bytes = std::int64_t;  ///< A size, stride or displacement in bytes. Strides may be negative.
using Count = std::int64_t;  ///< A number of elements, blocks or repetitions.

/// a * b and a + b. On overflow they throw std::overflow_error: a layout larger than the address
/// space is a mistake in the type.
inline Bytes times(Bytes a, Bytes b) {
  Bytes product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw std::overflow_error("layout: size overflows 64 bits");
  return product;
}
inline Bytes plus(Bytes a, Bytes b) {
  Bytes sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw std::overflow_error("layout: displacement overflows 64 bits");
  return sum;
}

}  // namespace heddle::layout
