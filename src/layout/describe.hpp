// layout/describe.hpp: the canonical program as text, with as many numbers of a list as the caller
// wants. layout.hpp has the usual form.
//
//   describe(indexed_block(1, places, basic(8)), 200, 4096)     // "at [0, 24, 40, ... 2000 in all] { block 8 }"
#pragma once

#include <cstddef>
#include <string>

#include "layout/layout.hpp"

namespace heddle::layout {

/// @param listed  At most so many numbers of a list, and members of a struct.
/// @param most  Bytes. Nodes that begin behind them are left out, and "…" stands for each.
std::string describe(const Layout& layout, Count listed, std::size_t most);

}  // namespace heddle::layout
