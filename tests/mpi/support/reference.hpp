// A third opinion on the meaning of a datatype. The type map is walked by the standard's
// definitions of the constructors, one basic element at a time. It uses neither Heddle's canonical
// program nor the host, except for extents, which other tests compare with the host's.
#pragma once

#include <cstddef>
#include <vector>

#include "layout/grammar.hpp"
#include "layout/type_map.hpp"

namespace heddle::test {

using layout::Bytes;
using layout::Count;
using Memory = std::vector<std::byte>;

/// A datatype × count, as a list of places.
struct Places {
  std::vector<layout::Entry> entries;
  Bytes low = 0;   ///< First byte touched, or 0.
  Bytes high = 0;  ///< Behind the last byte touched, or 0.
  Bytes packed = 0;
  bool overlap = false;  ///< A byte is described twice, so the type cannot be received into.
};
Places places(const layout::grammar::Type& type, Count count);

/// `base` is the address of the type's offset 0.
Memory gather(const Places& places, const std::byte* base);
void scatter(const Places& places, std::byte* base, const std::byte* packed);

/// Bytes that no library needs to copy: the padding in a long double. These functions clear it in
/// packed bytes, or around `base`.
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
