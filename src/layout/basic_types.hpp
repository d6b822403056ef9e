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

/// One value as the processor knows it.
struct Scalar {
  std::string_view name;
  Bytes size = 0;
  Bytes alignment = 1;
};

struct BasicType {
  std::string_view name;  ///< As in the standard, in lower case without MPI_.
  Scalar first;
  Scalar second;  ///< Of the pair types (double_int, ...); size 0 otherwise.

  [[nodiscard]] bool pair() const { return second.size != 0; }
  [[nodiscard]] Bytes second_at() const { return (first.size + second.alignment - 1) / second.alignment * second.alignment; }
};

std::span<const BasicType> basic_types();

/// By the standard's name or a common other one (float64, complex128); with or without MPI_, in any case. nullptr: no such
/// type.
const BasicType* find_basic(std::string_view name);

Layout layout_of(const BasicType& type);

}  // namespace heddle::layout
