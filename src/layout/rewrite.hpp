// layout/rewrite.hpp: the only makers of nodes; each returns the canonical form of what it is asked
// for. The rules, with an example each, are in docs/layout.md; tests/layout/canonical_test.cpp
// holds them.
#pragma once

#include <vector>

#include "layout/node.hpp"

namespace heddle::layout::rewrite {

/// `length` contiguous bytes; nothing if 0.
Placed block(Bytes length);

/// `child` at 0, stride, 2·stride, ...: unit loops dropped, adjacent repetitions merged, nests whose strides match fused.
Placed loop(Count count, Bytes stride, const Placed& child);

/// The same child at each offset, in that order: runs, boxes and periodic patterns become loops.
Placed at_each(std::vector<Bytes> offsets, const Placed& child);

/// Contiguous pieces, in that order: zero lengths dropped, neighbours merged, equal lengths go to at_each.
Placed pieces(const std::vector<Bytes>& offsets, const std::vector<Bytes>& lengths);

/// Different children, in that order: nested sequences inlined, neighbours merged, common children hoisted.
Placed sequence(const std::vector<Placed>& children);

}  // namespace heddle::layout::rewrite
