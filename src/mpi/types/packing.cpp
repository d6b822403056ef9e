// mpi/types/packing.cpp: the decision, from the table in the header.
#include "mpi/types/packing.hpp"

#include <cstdlib>

namespace heddle::mpi {
namespace {

using layout::Bytes;
using layout::Layout;
using layout::Loop;
using layout::Node;

/// A nest of loops around one block, and whether its inner strides are larger than its outer ones: packed order and memory
/// order fight, as in a transpose.
struct Nest {
  bool loops_only = false;
  bool fights = false;
};

Nest nest_of(const Layout& layout, bool several) {
  Nest nest;
  Bytes outer = several ? std::abs(layout.extent()) : 0;
  const Node* node = layout.node();
  while (const auto* loop = std::get_if<Loop>(&node->form)) {
    const Bytes stride = std::abs(loop->stride);
    nest.fights |= outer != 0 && outer < stride;
    outer = stride;
    node = loop->child.get();
  }
  nest.loops_only = node->contiguous();
  return nest;
}

Bytes packs_from_openmpi(const Layout& layout, bool several, Bytes mean_block) {
  const Nest nest = nest_of(layout, several);
  const bool tiny = mean_block <= 16;
  if (!nest.loops_only) return tiny ? 0 : never;
  if (!nest.fights || mean_block > 64) return never;
  return tiny ? 128 << 10 : 2 << 20;
}

}  // namespace

Bytes packs_from(const Layout& layout, bool several, Host host, Messages wanted) noexcept {
  if (layout.size() == 0 || layout.dense() || (!several && layout.node()->contiguous()) || wanted == Messages::native)
    return never;
  if (wanted == Messages::packed) return 0;
  const Bytes mean_block = layout.size() / layout.node()->blocks;
  if (mean_block >= 4096) return never;
  return host == Host::openmpi ? packs_from_openmpi(layout, several, mean_block) : 0;
}

}  // namespace heddle::mpi
