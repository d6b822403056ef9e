// layout/basic_types.hpp: MPI's predefined datatypes by name, as the C compiler of this build lays
// them out. No MPI in here.
//
//   const BasicType* pair = find_basic("MPI_DOUBLE_INT");     // also "double_int", any case
//   layout_of(*pair).extent();                                // 16: the int is followed by a hole
#pragma once

#include <span>
#include <string_view>

#include "layout/layout.hpp"

namespace heddle::layout {

/// A value of the processor's.
struct Scalar {
  std::string_view name;
  Bytes size = 0;
  Bytes alignment = 1;
};

struct BasicType {
  std::string_view name;  ///< The standard's name, in lower case, without MPI_.
  Scalar first;
  Scalar second;  ///< Second value of a pair type (double_int, ...), else of size 0.

  [[nodiscard]] bool pair() const { return second.size != 0; }
  [[nodiscard]] Bytes second_at() const { return (first.size + second.alignment - 1) / second.alignment * second.alignment; }
};

std::span<const BasicType> basic_types();

/// Finds a type by the standard's name or another common name (float64, complex128), with or
/// without MPI_, in any case. nullptr: there is no such type.
const BasicType* find_basic(std::string_view name);

Layout layout_of(const BasicType& type);

}  // namespace heddle::layout
