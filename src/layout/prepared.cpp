// layout/prepared.cpp: orders the loops of a node, and takes a kernel for each nest.
#include "layout/prepared.hpp"

#include <array>
#include <new>

#include "layout/program_node.hpp"

namespace heddle::layout {
namespace {

/// The steps of more children would take too much memory for the time that they save.
constexpr std::size_t most_steps = 4096;

/// Makes the nest of a chain of loops around a block; false for any other node.
bool make_nest(kernel::Ready& nest, const ProgramNode& node, Direction direction) {
  std::array<kernel::Dim, kernel::max_dims> dims;
  std::size_t n = 0;
  const ProgramNode* leaf = &node;
  while (const auto* loop = std::get_if<Loop>(&leaf->form)) {
    if (n == dims.size()) return false;
    const Bytes packed = loop->child->size;
    dims[n++] = direction == Direction::pack ? kernel::Dim{loop->count, packed, loop->stride}
                                             : kernel::Dim{loop->count, loop->stride, packed};
    leaf = loop->child.get();
  }
  return leaf->contiguous() && nest.make({dims.data(), n}, leaf->size);
}

void add_steps(std::vector<Step>& steps, const ProgramNode& node, Direction direction) {
  if (std::holds_alternative<Loop>(node.form)) {
    Step step;
    if (make_nest(step.nest, node, direction)) steps.push_back(step);
  }
  const auto* sequence = std::get_if<Struct>(&node.form);
  if (!sequence || sequence->children.size() > most_steps) return;
  steps.reserve(sequence->children.size());
  for (std::size_t i = 0; i < sequence->children.size(); ++i) {
    const Placed& child = sequence->children[i];
    Step& step = steps.emplace_back();
    step.user = child.offset;
    step.packed = sequence->packed_at[i];
    if (!make_nest(step.nest, *child.node, direction)) step.other = child.node.get();
  }
}

}  // namespace

std::unique_ptr<const Prepared> prepare(const ProgramNode& node, Direction direction) noexcept try {
  auto prepared = std::make_unique<Prepared>();
  prepared->generation = kernel::generation;
  try {
    add_steps(prepared->steps, node, direction);
  } catch (const std::bad_alloc&) {
    prepared->steps.clear();
  }
  return prepared;
} catch (const std::bad_alloc&) {
  return nullptr;
}

const Prepared* Lazy::make(const ProgramNode& node, Direction direction) const noexcept {
  auto mine = prepare(node, direction);
  const Prepared* made = nullptr;
  if (made_.compare_exchange_strong(made, mine.get(), std::memory_order_acq_rel, std::memory_order_acquire))
    made = mine.release();
  return made;
}

}  // namespace heddle::layout
