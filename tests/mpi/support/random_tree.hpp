// Random datatypes with every constructor of MPI, as text in the grammar of `heddle explain`. A
// failure's text can be drawn, or given to a test on its command line. Byte strides and
// displacements lie around the extent of the moved elements, so dense, gapped, touching and
// overlapping placements are all common.
#pragma once

#include <string>

#include "layout/grammar.hpp"
#include "support/choices.hpp"

namespace heddle::test {

struct Limits {
  int depth = 5;                  ///< Constructors above a predefined type.
  layout::Count elements = 3000;  ///< Predefined elements in the type map.
  layout::Bytes reach = 1 << 18;  ///< Bytes from first to last.
};

std::string random_tree(Chooser& choose, const Limits& limits = {});

}  // namespace heddle::test
