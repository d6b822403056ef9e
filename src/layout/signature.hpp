// layout/signature.hpp: the type signature of a datatype (MPI-5.0 §5.1), as far as Heddle needs it:
// one basic type, or two that alternate.
//
//   const Signature<MPI_Datatype> pair = then(one(MPI_DOUBLE, 8), one(MPI_INT, 4));       // names of basic types
//   const Signature<MPI_Datatype> row = repeated(pair, 100);                              // double, int, double, int, ...
//
// In a collective, ranks may use different types with the same signature, and a host segments a
// message by the size of the type. So a packed message of one basic type is handed on as (count,
// basic type). A predefined pair such as MPI_DOUBLE_INT counts as one: its signature is double,
// int, double, int, ...
#pragma once

#include <algorithm>

#include "layout/bytes.hpp"

namespace heddle::layout {

/// `elements` basic elements that alternate between first and second. Any other signature is
/// `mixed`.
template <class Basic>
struct Signature {
  Basic first{};   ///< Valid if elements >= 1.
  Basic second{};  ///< Valid if elements >= 2.
  Count elements = 0;
  bool mixed = false;
  Bytes largest = 0;  ///< Bytes of the largest basic type in it. A complex number is one basic type.

  [[nodiscard]] bool uniform() const { return !mixed && elements > 0 && (elements == 1 || first == second); }
};

/// One element of a basic type.
template <class Basic>
Signature<Basic> one(Basic basic, Bytes size) {
  return {basic, basic, 1, false, size};
}

/// a, then b. The result is exact for alternating sequences: the parity of a decides which type
/// must come next.
template <class Basic>
Signature<Basic> then(const Signature<Basic>& a, const Signature<Basic>& b) {
  const Bytes largest = std::max(a.largest, b.largest);
  if (a.mixed || b.mixed) return {{}, {}, plus(a.elements, b.elements), true, largest};
  if (a.elements == 0) return b;
  if (b.elements == 0) return a;
  Signature<Basic> all{a.first, a.elements >= 2 ? a.second : b.first, plus(a.elements, b.elements), false, largest};
  const bool even = a.elements % 2 == 0;
  const Basic next = even ? all.first : all.second;
  const Basic after = even ? all.second : all.first;
  all.mixed = b.first != next || (b.elements >= 2 && b.second != after);
  return all;
}

/// `times` copies of a, one after the other, in constant time.
template <class Basic>
Signature<Basic> repeated(const Signature<Basic>& a, Count times) {
  if (times == 0 || a.elements == 0) return {};
  Signature<Basic> all = a;
  all.elements = layout::times(a.elements, times);
  if (a.elements == 1) all.second = a.first;
  const bool odd = a.elements % 2 == 1;
  all.mixed = a.mixed || (times > 1 && odd && a.elements > 1 && a.first != a.second);
  return all;
}

}  // namespace heddle::layout
