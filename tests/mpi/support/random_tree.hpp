// Random datatypes with every constructor of MPI, as text in the grammar of `heddle explain`: what a failure prints can be
// drawn, and given back to a test on its command line. Byte strides and displacements are chosen around the extent of what
// they move, so that dense, gapped, touching and overlapping placements are all common.
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
