// layout/rewrite.hpp: the only functions that make nodes. Each returns a canonical form.
// docs/layout.md gives the rules with examples, and tests/layout/canonical_test.cpp tests them.
#pragma once

#include <vector>

#include "layout/program_node.hpp"

namespace heddle::layout::rewrite {

/// `length` contiguous bytes; an empty Placed if 0.
Placed block(Bytes length);

/// `child` at 0, stride, 2·stride, ... Drops loops of one, merges adjacent repetitions, and fuses
/// nests whose strides match.
Placed loop(Count count, Bytes stride, const Placed& child);

/// One child at each offset, in that order. Runs, boxes and periodic patterns become loops.
Placed at_each(std::vector<Bytes> offsets, const Placed& child);

/// Contiguous pieces, in that order. Drops zero lengths, merges neighbours, and makes a list of
/// blocks if all lengths are equal.
Placed pieces(const std::vector<Bytes>& offsets, const std::vector<Bytes>& lengths);

/// Different children, in that order. Inlines nested sequences, merges neighbours, and hoists
/// common children.
Placed sequence(const std::vector<Placed>& children);

}  // namespace heddle::layout::rewrite
