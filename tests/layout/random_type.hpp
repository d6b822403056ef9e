// tests/layout/random_type.hpp: random datatypes from a list of choices, with an independent map of
// their bytes.
//
//   RC_GTEST_PROP(Pack, Claim, (const Choices& choices)) {
//     const Sample type = random_type(choices);
//     ... type.layout against type.map ...
//   }
//
// The choices are plain numbers, so RapidCheck shrinks a failure by dropping and lowering them.
// When they run out, every further choice is 0, the simplest. The map is built from MPI's
// definitions by copying lists, without rewriting.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <string>
#include <vector>

#include "layout/cursor.hpp"
#include "layout/layout.hpp"

namespace heddle::layout::test {

struct Choices {
  std::vector<std::uint32_t> numbers;
};

struct Sample {
  Layout layout;
  std::vector<Segment> map;  ///< Basic elements in order, as MPI's definition lists them.
  std::string text;          ///< The type in the grammar of heddle explain.
};

Sample random_type(const Choices& choices, int depth = 4);

/// The bytes of `count` elements at `base`, gathered one by one along the map.
std::vector<std::byte> gathered(const Sample& type, Count count, const std::byte* base);

/// Memory for `count` elements of the type, filled with distinct bytes, and the place of the first
/// element's offset 0.
class Memory {
 public:
  Memory(const Sample& type, Count count, unsigned fill_seed);
  std::byte* base() { return bytes_.data() + origin_; }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  Bytes origin_;
};

inline void showValue(const Choices& choices, std::ostream& os) { rc::show(choices.numbers, os); }

}  // namespace heddle::layout::test

namespace rc {
template <>
struct Arbitrary<heddle::layout::test::Choices> {
  static Gen<heddle::layout::test::Choices> arbitrary();
};
}  // namespace rc
