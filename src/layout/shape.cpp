// layout/shape.cpp: counts pieces and cache lines. Each node is visited once, and no loop is
// walked.
#include "layout/shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace heddle::layout {
namespace {

using Lengths = std::map<Bytes, Count>;

Bytes floor_line(Bytes offset) { return offset >> 6; }

Count lines_of(Bytes offset, Bytes length) { return floor_line(offset + length - 1) - floor_line(offset) + 1; }

/// Counts pieces and lines. Loops multiply and are not walked. Children are shared, and each node
/// is visited once.
class Census {
 public:
  /// The number of pieces of each length.
  const Lengths& lengths(const ProgramNode& node) {
    if (const auto known = lengths_.find(&node); known != lengths_.end()) return known->second;
    Lengths found;
    const auto add = [&found](const Lengths& other, Count times_over) {
      for (const auto& [length, n] : other) found[length] += n * times_over;
    };
    if (node.contiguous()) {
      found[node.size] = 1;
    } else if (const auto* loop = std::get_if<Loop>(&node.form)) {
      add(lengths(*loop->child), loop->count);
    } else if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
      add(lengths(*list->child), list->offsets.size());
    } else if (const auto* pieces = std::get_if<Indexed>(&node.form)) {
      for (Count i = 0; i < pieces->lengths.size(); ++i) ++found[pieces->lengths[i]];
    } else {
      for (const Placed& child : std::get<Struct>(node.form).children) add(lengths(*child.node), 1);
    }
    return lengths_.emplace(&node, std::move(found)).first->second;
  }

  /// Distinct lines, estimated without walking loops. A loop has its child's lines times its count,
  /// but at most the lines of its span. Lists are walked once. A line that a piece shares with the
  /// piece before counts once.
  Count lines(const ProgramNode& node) {
    if (const auto known = lines_.find(&node); known != lines_.end()) return known->second;
    return lines_[&node] = std::min(sum_of_lines(node), lines_of(node.low, node.high - node.low));
  }

 private:
  Count sum_of_lines(const ProgramNode& node) {
    if (node.contiguous()) return lines_of(node.low, node.high - node.low);
    if (const auto* loop = std::get_if<Loop>(&node.form)) return lines(*loop->child) * loop->count;
    Count sum = 0;
    Bytes last = INT64_MIN;
    if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
      const Count each = lines(*list->child);
      for (Count i = 0; i < list->offsets.size(); ++i) {
        const Bytes first = floor_line(list->offsets[i]);
        sum += each - (first == last);
        last = floor_line(list->offsets[i] + list->child->high - 1);
      }
    } else if (const auto* pieces = std::get_if<Indexed>(&node.form)) {
      for (Count i = 0; i < pieces->offsets.size(); ++i) {
        sum += lines_of(pieces->offsets[i], pieces->lengths[i]) - (floor_line(pieces->offsets[i]) == last);
        last = floor_line(pieces->offsets[i] + pieces->lengths[i] - 1);
      }
    } else {
      for (const Placed& child : std::get<Struct>(node.form).children) sum += lines(*child.node);
    }
    return sum;
  }

  std::unordered_map<const ProgramNode*, Lengths> lengths_;
  std::unordered_map<const ProgramNode*, Count> lines_;
};

}  // namespace

Shape shape(const Layout& layout, Count count) {
  Shape result;
  const Placed whole = layout.repeated(count);
  if (!whole.node) return result;
  const ProgramNode& node = *whole.node;
  result.size = node.size;
  result.extent = times(count, layout.extent());
  result.true_extent = node.high - node.low;
  result.blocks = node.blocks;
  result.depth = node.depth;
  Census census;
  result.lines = census.lines(node);

  const Lengths& lengths = census.lengths(node);
  const auto blocks = static_cast<double>(node.blocks);
  result.mean_block = static_cast<double>(node.size) / blocks;
  result.smallest_block = lengths.begin()->first;
  result.largest_block = lengths.rbegin()->first;
  double squares = 0;
  Count seen = 0;
  for (const auto& [length, n] : lengths) {
    const double off = static_cast<double>(length) - result.mean_block;
    squares += off * off * static_cast<double>(n);
    if (2 * seen < node.blocks && 2 * (seen + n) >= node.blocks) result.median_block = length;
    seen += n;
  }
  result.deviation_block = std::sqrt(squares / blocks);
  return result;
}

}  // namespace heddle::layout
