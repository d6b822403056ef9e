// tool/plan.cpp: describes in words how pack.cpp and dual_context.cpp treat a layout. If their
// cases change, the sentences here must change, too.
#include <fmt/format.h>

#include <cstdlib>

#include "layout/cursor.hpp"
#include "layout/dual_context.hpp"
#include "layout/kernel/kernels.hpp"
#include "layout/kernel/repeated_pieces.hpp"
#include "layout/shape.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace layout;

struct Nest {
  std::vector<Loop> loops;  // outermost first
  const ProgramNode* leaf;
};

Nest nest_of(const ProgramNode& node) {
  Nest nest{{}, &node};
  while (const auto* loop = std::get_if<Loop>(&nest.leaf->form)) {
    nest.loops.push_back(*loop);
    nest.leaf = loop->child.get();
  }
  return nest;
}

/// True if an inner loop makes larger steps than a loop around it, so that packed order is not
/// memory order.
bool transposed(const std::vector<Loop>& loops) {
  for (std::size_t i = 1; i < loops.size(); ++i) {
    if (std::llabs(loops[i].stride) > std::llabs(loops[i - 1].stride)) return true;
  }
  return false;
}

std::string dims(const std::vector<Loop>& loops) {
  std::string text;
  for (const Loop& loop : loops) text += (text.empty() ? "" : " × ") + std::to_string(loop.count);
  return text;
}

std::string width(const Integers& numbers) { return numbers.narrow() ? "32" : "64"; }

class Planner {
 public:
  void node(const ProgramNode& node, const std::string& lead) {
    const Nest nest = nest_of(node);
    if (nest.leaf->contiguous()) {
      blocks(nest, lead);
    } else if (!nest.loops.empty()) {
      repeated(nest, lead);
    } else if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
      listed(*list, lead);
    } else if (const auto* pieces = std::get_if<Indexed>(&node.form)) {
      say("{}index list: {} pieces of different lengths, mean {:.1f} bytes, {}", lead, pieces->offsets.size(),
          static_cast<double>(node.size) / static_cast<double>(node.blocks),
          pieces->units.size() > 0 ? fmt::format("gathered as {} units of {} bytes through {}-bit offsets",
                                                 pieces->units.size(), pieces->unit, width(pieces->units))
                                   : fmt::format("gathered through {}-bit offsets and {}-bit lengths", width(pieces->offsets),
                                                 width(pieces->lengths)));
    } else {
      sequence(std::get<Struct>(node.form), lead);
    }
  }
  std::vector<std::string> take() { return std::move(lines_); }

  template <class... Args>
  void say(fmt::format_string<Args...> format, Args&&... args) {
    if (lines_.size() == most_lines) lines_.emplace_back("… and so on");
    if (lines_.size() > most_lines) return;
    lines_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void blocks(const Nest& nest, const std::string& lead) {
    const Bytes length = nest.leaf->size;
    if (nest.loops.empty()) {
      say("{}one piece of {} bytes: a plain copy", lead, length);
    } else if (nest.loops.size() == 1) {
      say("{}strided: {} blocks of {} bytes, {} bytes apart, one loop", lead, nest.loops[0].count, length,
          nest.loops[0].stride);
    } else {
      say("{}{}-D loop nest, {}, {}-byte blocks, {}", lead, nest.loops.size(), dims(nest.loops), length,
          transposed(nest.loops) ? "transposed order: visited in tiles, so that each cache line is read once"
                                 : "packed in memory order");
    }
  }
  void repeated(const Nest& nest, const std::string& lead) {
    if (const kernel::Record* record = nest.leaf->record()) {
      say("{}{} records of {} pieces ({} of {} bytes), copied by a kernel made for the record", lead, dims(nest.loops),
          record->pieces().size(), record->size(), record->high() - record->low());
      return;
    }
    say("{}{} times, one after the other:", lead, dims(nest.loops));
    node(*nest.leaf, lead + "  ");
  }
  void listed(const BlockIndexed& list, const std::string& lead) {
    const ProgramNode& child = *list.child;
    if (child.contiguous()) {
      say("{}index list: {} blocks of {} bytes, gathered through {}-bit offsets", lead, list.offsets.size(), child.size,
          width(list.offsets));
    } else if (const kernel::Record* record = child.record()) {
      say("{}index list: {} records of {} pieces ({} bytes each), gathered through {}-bit offsets", lead, list.offsets.size(),
          record->pieces().size(), child.size, width(list.offsets));
    } else {
      say("{}at each of {} offsets:", lead, list.offsets.size());
      node(child, lead + "  ");
    }
  }
  void sequence(const Struct& form, const std::string& lead) {
    say("{}{} different parts, one after the other:", lead, form.children.size());
    for (const Placed& child : form.children) {
      if (lines_.size() > most_lines) break;
      node(*child.node, lead + "  ");
    }
  }

  static constexpr std::size_t most_lines = 16;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> plan(const Layout& layout, Count count) {
  Planner planner;
  const Placed whole = layout.repeated(count);
  if (!whole.node) {
    planner.say("no bytes: nothing to pack");
    return planner.take();
  }
  if (layout.dense() || whole.node->contiguous()) {
    planner.say("one piece of {} bytes without holes: handed over to MPI in place, never copied", whole.node->size);
    return planner.take();
  }
  planner.node(*whole.node, "");
  planner.say("kernels: {}{}", kernel::name(kernel::isa()),
              kernel::isa() == kernel::best_isa() ? ", the widest of this processor" : ", by HEDDLE_ISA");

  Cursor look(layout, count);
  const Ahead ahead = look.ahead();
  const bool dense = ahead.mean() >= DualContext::dense_from;
  planner.say("look-ahead: the first {} blocks have {:.1f} bytes on average ({} than {:.0f}), so they are {}", ahead.blocks,
              ahead.mean(), dense ? "not less" : "less", DualContext::dense_from,
              dense ? "dense: worth a list of pieces (iovec) if the transport takes such lists; MPI itself gets them packed"
                    : "sparse: packed segment by segment");
  planner.say("any of the {} bytes is found in {} {}", whole.node->size, whole.node->depth,
              whole.node->depth == 1 ? "step" : "steps");
  return planner.take();
}

}  // namespace heddle::tool
