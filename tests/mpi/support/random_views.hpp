// Random views of files, as text in the grammar of `heddle explain`: columns, cubes, dealt blocks,
// stripes, strewn pieces, and pieces with gaps.
#pragma once

#include <string>
#include <vector>

#include "layout/grammar.hpp"
#include "support/choices.hpp"
#include "support/reference.hpp"

namespace heddle::test {

/// The views of all ranks. Each has a part of each tile.
struct Views {
  std::string etype;                            ///< In the grammar.
  Bytes unit = 1;                               ///< Its bytes.
  Bytes displacement = 0;                       ///< Bytes.
  std::vector<layout::grammar::TypePtr> tiles;  ///< By rank.
  bool whole = true;                            ///< The ranks' tiles together have no hole, and do not overlap.
};

Views random_views(Chooser& choose, int ranks);

/// Numbers and lists in the grammar.
std::string text(Count n);
std::string list(const std::vector<Count>& items);

}  // namespace heddle::test
