// Known errors of the host libraries, by the standard's type map. If the host packs such a type
// wrongly, the differential test compares only with the type map. If the host places it wrongly,
// the test skips the type: Heddle takes bounds from the host, because the program does.
// `heddle-differential-mpich 'contiguous(2, resized(2int, 0, -8))' 2` without a preloaded Heddle
// shows an error of the host.
#pragma once

#include <algorithm>

#include "layout/grammar.hpp"
#include "support/host.hpp"

namespace heddle::test {

/// True if `is` holds for any level of the type.
template <class Is>
bool any_level(const layout::grammar::Type& type, const Is& is) {
  return is(type) || std::ranges::any_of(type.children, [&](const auto& child) { return any_level(*child, is); });
}

/// A count or length at this level is zero.
inline bool describes_nothing(const layout::grammar::Type& type) {
  using layout::grammar::Combiner;
  const auto zero = [](layout::Count n) { return n == 0; };
  const bool lengths =
      type.combiner == Combiner::indexed || type.combiner == Combiner::hindexed || type.combiner == Combiner::structure;
  return type.elements == 0 || (lengths && std::ranges::any_of(type.lists[0], zero));
}

/// A struct that has elements, and a member that describes nothing.
inline bool has_empty_member(const layout::grammar::Type& type) {
  return type.elements > 0 && any_level(type, [](const auto& t) {
           return t.combiner == layout::grammar::Combiner::structure &&
                  std::ranges::any_of(t.children, [](const auto& child) { return child->elements == 0; });
         });
}

inline bool is_complex(const layout::grammar::Type& type) {
  return type.combiner == layout::grammar::Combiner::named && type.basic->name.find("complex") != std::string_view::npos;
}

inline bool host_error_is_known(const layout::grammar::Type& type, [[maybe_unused]] bool overlap) {
  using layout::grammar::Combiner;
  using layout::grammar::Type;
#if defined(OPEN_MPI)
  // Open MPI 5.0.11 packs the wrong bytes of complex numbers that lie an odd multiple of half their
  // size apart. An example is an array of records of 24 bytes that begin with a complex number:
  // hvector(2, 1, 24, double_complex), hindexed([1, 1], [0, 12], complex). It merges blocks that
  // overlap. It gives blocks that lie one byte apart, backwards, the lower bound 0:
  // hvector(2, 1, -1, int).
  const auto byte_backwards = [](const Type& t) {
    return (t.combiner == Combiner::hvector && t.numbers[2] == -1) ||
           (t.combiner == Combiner::vector && t.numbers[2] * t.children[0]->layout.extent() == -1);
  };
  // Its extent of a struct with an empty member is unstable:
  // struct(1 char @ 0, 1 vector(0, 0, 1, char) @ 2), count 2.
  return overlap || has_empty_member(type) || any_level(type, is_complex) || any_level(type, byte_backwards);
#else
  // MPICH 5.0.2 repeats elements of negative extent in the wrong place:
  // contiguous(2, resized(2int, 0, -8)), count 2.
  return any_level(type, [](const Type& t) { return t.layout.extent() < 0; });
#endif
}

/// Open MPI 5.0.11 sends wrong bytes for a number that the end of a fragment (4 KiB) cuts in two,
/// in types that place numbers off multiples of their size. For example, 88 or more elements of
/// hindexed([1]*3, [0, 45, 8], double) arrive with 8 bytes wrong. It also sends the complex numbers
/// that it packs wrong.
inline bool host_garbles([[maybe_unused]] const layout::grammar::Type& type, [[maybe_unused]] layout::Count count) {
#if defined(OPEN_MPI)
  using layout::grammar::Combiner;
  constexpr layout::Bytes fragment = 4000;
  if (any_level(type, is_complex)) return true;
  return type.layout.size() * count > fragment && any_level(type, [](const auto& t) {
           const bool bytes =
               t.combiner == Combiner::hindexed || t.combiner == Combiner::hindexed_block || t.combiner == Combiner::structure;
           const layout::Bytes alignment = t.layout.alignment();
           return (bytes && std::ranges::any_of(t.lists.back(), [&](layout::Bytes at) { return at % alignment != 0; })) ||
                  t.layout.extent() % alignment != 0;
         });
#else
  return false;
#endif
}

/// MPICH 5.0.2 divides by zero when it packs some structs with a member that describes nothing:
/// struct(2 contiguous(2, byte) @ 0, 2 resized(vector(2, 0, 3, resized(double, 0, 10)), 0, 0) @
/// 16). The test skips such trees, because Heddle also leaves some of them to the host. With the
/// error in complex numbers above, Open MPI 5.0.11 writes before the type if they go backwards:
/// darray(1, 0, [2, 7], [none, none], [1, 1], resized(double_complex, 0, -24)) from -416 on, not
/// from -312.
inline bool host_crashes([[maybe_unused]] const layout::grammar::Type& type) {
#if defined(OPEN_MPI)
  return any_level(type, is_complex) && any_level(type, [](const auto& t) { return t.layout.extent() < 0; });
#else
  return has_empty_member(type);
#endif
}

/// MPICH 5.0.2 has wrong true bounds for darray:
/// darray(1, 0, [1], [cyclic(2)], [1], indexed([1], [3], char)) begins at 3, not at 0. It also
/// counts empty parts: struct(1 char @ 0, 1 contiguous(0, char) @ 2) has true extent 2.
inline bool host_true_bounds_are_wrong([[maybe_unused]] const layout::grammar::Type& type) {
#if defined(OPEN_MPI)
  return false;
#else
  return any_level(type, [](const auto& t) { return t.combiner == layout::grammar::Combiner::darray || describes_nothing(t); });
#endif
}

}  // namespace heddle::test
