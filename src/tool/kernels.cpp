// tool/kernels.cpp: the kernels that move a layout, with reasons. The choice is the library's own
// (layout/kernel/choose_kernel.hpp), not a copy. The division into parts follows pack.cpp.
#include "layout/kernel/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "layout/kernel/choose_kernel.hpp"
#include "layout/kernel/repeated_pieces.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace layout;
using kernel::Direction;

constexpr std::size_t most_parts = 8;

Json told(kernel::Choice choice, const std::string& why) {
  const kernel::Description& kernel = kernel::describe(choice.kernel);
  return {{"kernel", kernel.name}, {"does", kernel.description}, {"why", why}};
}

/// Loops around a block, outermost first. Empty: the innermost node is no block.
struct LoopNest {
  std::vector<Loop> loops;
  Bytes block = 0;
};
std::optional<LoopNest> loop_nest_of(const ProgramNode& node) {
  LoopNest nest;
  const ProgramNode* leaf = &node;
  while (const auto* loop = std::get_if<Loop>(&leaf->form)) {
    if (nest.loops.size() == kernel::max_dims) return std::nullopt;
    nest.loops.push_back(*loop);
    leaf = loop->child.get();
  }
  if (!leaf->contiguous()) return std::nullopt;
  nest.block = leaf->size;
  return nest;
}

Json of_nest(const LoopNest& nest, Direction direction) {
  std::vector<kernel::Dim> dims;
  for (const Loop& loop : nest.loops) {
    const Bytes packed = loop.child->size;
    dims.push_back(direction == Direction::pack ? kernel::Dim{loop.count, packed, loop.stride}
                                                : kernel::Dim{loop.count, loop.stride, packed});
  }
  const std::optional<kernel::Chosen> chosen = kernel::chosen(dims, nest.block);
  if (!chosen) return nullptr;
  std::string why = kernel::why(chosen->facts, chosen->choice, kernel::thresholds());
  if (chosen->loops_around > 0)
    why += fmt::format("; in {} more {}", chosen->loops_around, chosen->loops_around == 1 ? "loop" : "loops");
  return told(chosen->choice, why);
}

Json of_list(const Integers& offsets, Bytes block, Direction direction) {
  const kernel::ListFacts facts = offsets.with([&](const auto* at) {
    return kernel::facts_of(at, offsets.size(), block, direction, kernel::isa(), kernel::thresholds());
  });
  const kernel::Choice choice = kernel::choose_kernel(facts, kernel::thresholds());
  return told(choice, kernel::why(facts, choice, kernel::thresholds()));
}

Json of_pieces(const Integers& lengths, Direction direction) {
  Bytes longest = 0;
  for (Count i = 0; i < lengths.size(); ++i) longest = std::max(longest, lengths[i]);
  const kernel::PiecesFacts facts{longest, direction, kernel::isa()};
  const kernel::Choice choice = kernel::choose_kernel(facts);
  return told(choice, kernel::why(facts, choice));
}

Json of_records(const kernel::Record& record, Count count, Bytes stride, bool listed, Direction direction) {
  const kernel::RecordFacts facts = kernel::facts_of(record, count, stride, listed, direction, kernel::isa());
  const kernel::Choice choice = kernel::choose_kernel(facts, kernel::thresholds());
  return told(choice, kernel::why(facts, choice, kernel::thresholds()));
}

class Parts {
 public:
  void node(const ProgramNode& node) {
    if (more_ || parts_.size() == most_parts) {
      more_ = true;
      return;
    }
    if (const auto nest = loop_nest_of(node)) return add("blocks", [&](Direction way) { return of_nest(*nest, way); });
    std::visit([&](const auto& form) { look(node, form); }, node.form);
  }
  Json take() { return {{"parts", std::move(parts_)}, {"more", more_}}; }

 private:
  template <class Of>
  void add(const char* kind, const Of& of) {
    parts_.push_back({{"kind", kind}, {"pack", of(Direction::pack)}, {"unpack", of(Direction::unpack)}});
  }

  void look(const ProgramNode&, const Block&) {}  // a nest without loops
  void look(const ProgramNode&, const Loop& loop) {
    const kernel::Record* record = loop.child->record();
    if (!record) return this->node(*loop.child);
    add("records", [&](Direction way) { return of_records(*record, loop.count, loop.stride, false, way); });
  }
  void look(const ProgramNode&, const BlockIndexed& list) {
    const ProgramNode& child = *list.child;
    if (child.contiguous())
      add("list of blocks", [&](Direction way) { return of_list(list.offsets, child.size, way); });
    else if (const kernel::Record* record = child.record())
      add("list of records", [&](Direction way) { return of_records(*record, list.offsets.size(), 0, true, way); });
    else
      this->node(child);
  }
  void look(const ProgramNode&, const Indexed& list) {
    if (list.units.size() > 0)
      add("list of units", [&](Direction way) { return of_list(list.units, list.unit, way); });
    else
      add("list of pieces", [&](Direction way) { return of_pieces(list.lengths, way); });
  }
  void look(const ProgramNode&, const Struct& sequence) {
    for (const Placed& child : sequence.children) node(*child.node);
  }

  Json parts_ = Json::array();
  bool more_ = false;
};

}  // namespace

Json kernels(const Layout& layout, Count count) {
  Parts parts;
  const Placed whole = layout.repeated(count);
  if (whole.node && !whole.node->contiguous()) parts.node(*whole.node);
  return parts.take();
}

}  // namespace heddle::tool
