// select/packing.cpp: the decision, from the table in the header.
#include "select/packing.hpp"

#include <algorithm>
#include <cstdlib>

namespace heddle::select {
namespace {

using layout::Layout;
using layout::Loop;
using layout::ProgramNode;

/// Tells if a layout is a nest of loops around one block, and if its inner strides are larger than
/// its outer strides. Then packed order and memory order fight, as in a transpose.
struct Nest {
  bool loops_only = false;
  bool fights = false;
};

Nest nest_of(const Layout& layout, bool several) {
  Nest nest;
  Bytes outer = several ? std::abs(layout.extent()) : 0;
  const ProgramNode* node = layout.node();
  while (const auto* loop = std::get_if<Loop>(&node->form)) {
    const Bytes stride = std::abs(loop->stride);
    nest.fights |= outer != 0 && outer < stride;
    outer = stride;
    node = loop->child.get();
  }
  nest.loops_only = node->contiguous();
  return nest;
}

/// True if all displacements are multiples of `number` bytes, as with aligned numbers.
struct Aligned {
  Bytes number;

  [[nodiscard]] bool operator()(Bytes displacement) const { return displacement % number == 0; }
  [[nodiscard]] bool operator()(const layout::Integers& displacements) const {
    return displacements.with([&](const auto* first) { return std::all_of(first, first + displacements.size(), *this); });
  }
  [[nodiscard]] bool operator()(const layout::Placed& child) const { return (*this)(child.offset) && (*this)(*child.node); }
  [[nodiscard]] bool operator()(const ProgramNode& node) const {
    return std::visit([&](const auto& form) { return all_in(form); }, node.form);
  }

 private:
  [[nodiscard]] bool all_in(const layout::Block&) const { return true; }
  [[nodiscard]] bool all_in(const Loop& loop) const { return (*this)(loop.stride) && (*this)(*loop.child); }
  [[nodiscard]] bool all_in(const layout::BlockIndexed& list) const { return (*this)(list.offsets) && (*this)(*list.child); }
  [[nodiscard]] bool all_in(const layout::Indexed& pieces) const { return (*this)(pieces.offsets); }
  [[nodiscard]] bool all_in(const layout::Struct& members) const { return std::ranges::all_of(members.children, *this); }
};

Bytes packs_from_openmpi(const Layout& layout, bool several, Bytes number, Bytes mean_block) {
  const Aligned aligned{number};
  if (!aligned(*layout.node()) || (several && !aligned(layout.extent()))) return 0;
  const Nest nest = nest_of(layout, several);
  const bool tiny = mean_block <= 16;
  if (!nest.loops_only) return tiny ? 0 : never_packed;
  if (!nest.fights || mean_block > 64) return never_packed;
  return tiny ? 128 << 10 : 2 << 20;
}

/// From a vector of blocks, MPICH packs short messages as fast as Heddle does, into the message
/// itself.
Bytes packs_from_mpich(const Layout& layout, const Message& message) {
  const auto* const loop = std::get_if<Loop>(&layout.node()->form);
  return message.is_vector && !message.several && loop && loop->child->contiguous() ? 8 << 10 : 0;
}

}  // namespace

Bytes packs_from(const Layout& layout, const Message& message) {
  if (layout.size() == 0 || layout.dense() || (!message.several && layout.node()->contiguous()) ||
      message.wanted == settings::Messages::native)
    return never_packed;
  if (message.wanted == settings::Messages::packed) return 0;
  const Bytes mean_block = layout.size() / layout.node()->blocks;
  if (mean_block >= 4096) return never_packed;
  return message.host_packs_while_it_sends ? packs_from_openmpi(layout, message.several, message.largest_number, mean_block)
                                           : packs_from_mpich(layout, message);
}

}  // namespace heddle::select
