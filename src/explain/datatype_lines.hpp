// explain/datatype_lines.hpp: a datatype in a few lines "name: value". `heddle-tool explain` prints
// them, and so does a running program with HEDDLE_EXPLAIN.
//
//   for (const std::string& line : lines(layout, 1, written(layout), schemes)) puts(line.c_str());
//
//   type: hvector(128, 32, 16384, byte)           in the grammar of heddle explain
//   size: 4096
//   blocks: 128, mean 32 B, median 32 B
//   within a node, any memory: bc-spup: ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/scheme_choices.hpp"

namespace heddle::explain {

/// The lines about a datatype. @param type  A description in the grammar of layout/grammar.hpp.
std::vector<std::string> lines(const layout::Layout& layout, Count count, std::string_view type, const SchemeChoices& schemes);

/// The layout in that grammar. Empty: it would be too long to paste.
/// @param element  Its basic type, if there is only one.
std::string pasteable(const layout::Layout& layout, std::string_view element = "byte");

}  // namespace heddle::explain
