// Random datatypes in the grammar of layout/grammar.hpp, for property tests, with every
// constructor, holes, overlaps and negative strides. They shrink as their numbers do. A failure
// prints its description, and `heddle explain` draws it.
#pragma once

#include <rapidcheck.h>

#include <string>

namespace heddle::layout::test {

inline rc::Gen<std::string> random_type(int depth);

namespace detail {

inline std::string number(int low, int high) { return std::to_string(*rc::gen::inRange(low, high + 1)); }

inline std::string list(std::size_t size, int low, int high) {
  std::string text = "[";
  for (std::size_t i = 0; i < size; ++i) text += (i ? ", " : "") + number(low, high);
  return text + "]";
}

inline std::string array(int depth) {
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  std::string sizes, subsizes, starts;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const int size = *rc::gen::inRange(1, 7);
    const int subsize = *rc::gen::inRange(0, size + 1);
    const std::string comma = d ? ", " : "";
    sizes += comma + std::to_string(size);
    subsizes += comma + std::to_string(subsize);
    starts += comma + number(0, size - subsize);
  }
  return "subarray([" + sizes + "], [" + subsizes + "], [" + starts + "], " + *random_type(depth) +
         *rc::gen::elementOf(std::vector<std::string>{"", ", order=F"}) + ")";
}

inline std::string distributed(int depth) {
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, 4);
  std::string sizes, distributions, grid;
  int ranks = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::string comma = d ? ", " : "";
    const int size = *rc::gen::inRange(1, 9);
    int places = *rc::gen::inRange(1, 4);
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        distributions += comma + "none";
        places = 1;
        break;
      case 1:
        distributions += comma + "block";
        break;
      case 2:
        distributions += comma + "block(" + number((size + places - 1) / places, size + 2) + ")";
        break;
      case 3:
        distributions += comma + "cyclic";
        break;
      default:
        distributions += comma + "cyclic(" + number(1, 4) + ")";
        break;
    }
    sizes += comma + std::to_string(size);
    grid += comma + std::to_string(places);
    ranks *= places;
  }
  return "darray(" + std::to_string(ranks) + ", " + number(0, ranks - 1) + ", [" + sizes + "], [" + distributions + "], [" +
         grid + "], " + *random_type(depth) + *rc::gen::elementOf(std::vector<std::string>{"", ", order=F"}) + ")";
}

inline std::string structure(int depth) {
  const auto members = *rc::gen::inRange<std::size_t>(0, 5);
  std::string text = "struct(";
  for (std::size_t i = 0; i < members; ++i) {
    text += (i ? ", " : "") + number(0, 3) + " " + *random_type(depth) + " @ " + number(-64, 256);
  }
  return text + ")";
}

inline std::string some_type(int depth) {
  if (depth == 0) {
    return *rc::gen::elementOf(std::vector<std::string>{"char", "short", "int", "double", "double_complex", "double_int",
                                                        "short_int", "long_double", "int_int"});
  }
  const auto list_size = *rc::gen::inRange<std::size_t>(0, 7);
  const auto inner = [depth] { return *random_type(depth - 1); };
  switch (*rc::gen::inRange(0, 13)) {
    case 0:
      return some_type(0);
    case 1:
      return "dup(" + inner() + ")";
    case 2:
      return "contiguous(" + number(0, 5) + ", " + inner() + ")";
    case 3:
      return "vector(" + number(0, 6) + ", " + number(0, 4) + ", " + number(-4, 9) + ", " + inner() + ")";
    case 4:
      return "hvector(" + number(0, 6) + ", " + number(0, 4) + ", " + number(-90, 200) + ", " + inner() + ")";
    case 5:
      return "indexed(" + list(list_size, 0, 4) + ", " + list(list_size, -6, 24) + ", " + inner() + ")";
    case 6:
      return "hindexed(" + list(list_size, 0, 4) + ", " + list(list_size, -99, 400) + ", " + inner() + ")";
    case 7:
      return "indexed_block(" + number(0, 4) + ", " + list(list_size, -6, 24) + ", " + inner() + ")";
    case 8:
      return "hindexed_block(" + number(0, 4) + ", " + list(list_size, -99, 400) + ", " + inner() + ")";
    case 9:
      return "resized(" + inner() + ", " + number(-16, 16) + ", " + number(-32, 96) + ")";
    case 10:
      return array(depth - 1);
    case 11:
      return distributed(depth - 1);
    default:
      return structure(depth - 1);
  }
}

}  // namespace detail

/// A description of a type at most `depth` constructors deep.
inline rc::Gen<std::string> random_type(int depth) {
  return rc::gen::exec([depth] { return detail::some_type(depth); });
}

}  // namespace heddle::layout::test
