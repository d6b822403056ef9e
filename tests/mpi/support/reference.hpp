// A third opinion on what a datatype means: its type map, walked as the standard defines the constructors, one basic element
// at a time. Neither Heddle's canonical program nor the host has a part in it but for extents, which are compared with the
// host's elsewhere.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/grammar.hpp"
#include "layout/type_map.hpp"

namespace heddle::test {

using layout::Bytes;
using layout::Count;
using Memory = std::vector<std::byte>;

/// A datatype × count as a list of places.
struct Places {
  std::vector<layout::Entry> entries;
  Bytes low = 0;   ///< First byte touched, or 0.
  Bytes high = 0;  ///< Behind the last byte touched, or 0.
  Bytes packed = 0;
  bool overlap = false;  ///< Some byte is described twice: not to be received into.
};
Places places(const layout::grammar::Type& type, Count count);

/// `offset 0` of the type is at base.
Memory gather(const Places& places, const std::byte* base);
void scatter(const Places& places, std::byte* base, const std::byte* packed);

/// Bytes that no library need copy: the padding in a long double. Both are cleared in packed bytes, or around `base`.
void clear_padding(const Places& places, Memory& packed);
void clear_padding(const Places& places, std::byte* base);

/// Memory around a buffer argument, with guards before and behind, filled from a seed.
class Field {
 public:
  Field(const Places& places, unsigned seed);
  std::byte* base() { return memory_.data() + origin_; }
  [[nodiscard]] const Memory& memory() const { return memory_; }

 private:
  static constexpr Bytes guard = 64;
  Memory memory_;
  Bytes origin_;
};

}  // namespace heddle::test
