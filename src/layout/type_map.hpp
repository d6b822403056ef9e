// layout/type_map.hpp: the standard's type map: pairs of offset and basic type, in packed order, up
// to a limit.
//
//   for (const Entry& entry : type_map(*type, 1, 100).entries) ...       // the first 100 of them
#pragma once

#include "layout/grammar.hpp"

namespace heddle::layout {

struct Entry {
  Bytes offset;  ///< From the buffer's address.
  Bytes length;
  std::string_view name;
  bool operator==(const Entry&) const = default;
};

struct TypeMap {
  Count total = 0;             ///< Number of all entries, listed or not.
  std::vector<Entry> entries;  ///< The first entries. A pair type counts as two.
};

/// The first `limit` entries of `count` elements, an extent apart. Takes O(limit). More than 2^63
/// entries throw std::overflow_error.
TypeMap type_map(const grammar::Type& type, Count count, std::size_t limit);

}  // namespace heddle::layout
