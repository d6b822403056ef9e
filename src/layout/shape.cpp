#include "layout/shape.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace heddle::layout {
namespace {

constexpr Bytes line = 64;

/// How many pieces of each length: loops multiply, they are not walked.
void histogram(const Node& node, Count times_over, std::map<Bytes, Count>& lengths) {
  if (node.contiguous()) {
    lengths[node.size] += times_over;
  } else if (const auto* loop = std::get_if<Loop>(&node.form)) {
    histogram(*loop->child, times_over * loop->count, lengths);
  } else if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
    histogram(*list->child, times_over * list->offsets.size(), lengths);
  } else if (const auto* pieces = std::get_if<Indexed>(&node.form)) {
    for (Count i = 0; i < pieces->lengths.size(); ++i) lengths[pieces->lengths[i]] += times_over;
  } else {
    for (const Placed& child : std::get<Struct>(node.form).children) histogram(*child.node, times_over, lengths);
  }
}

Bytes floor_line(Bytes offset) { return offset >> 6; }

Count lines_of(Bytes offset, Bytes length) { return floor_line(offset + length - 1) - floor_line(offset) + 1; }

/// Distinct lines, as far as loops let us know without walking them: a loop's lines are its child's times its count, but
/// never more than its span has. Lists are walked once; pieces that share a line with the piece before count it once.
Count lines(const Node& node) {
  const Count span = lines_of(node.low, node.high - node.low);
  Count sum = 0;
  if (node.contiguous()) {
    sum = span;
  } else if (const auto* loop = std::get_if<Loop>(&node.form)) {
    sum = lines(*loop->child) * loop->count;
  } else if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
    const Count each = lines(*list->child);
    Bytes last = INT64_MIN;
    for (Count i = 0; i < list->offsets.size(); ++i) {
      const Bytes first = floor_line(list->offsets[i]);
      sum += each - (first == last);
      last = floor_line(list->offsets[i] + list->child->high - 1);
    }
  } else if (const auto* pieces = std::get_if<Indexed>(&node.form)) {
    Bytes last = INT64_MIN;
    for (Count i = 0; i < pieces->offsets.size(); ++i) {
      sum += lines_of(pieces->offsets[i], pieces->lengths[i]) - (floor_line(pieces->offsets[i]) == last);
      last = floor_line(pieces->offsets[i] + pieces->lengths[i] - 1);
    }
  } else {
    for (const Placed& child : std::get<Struct>(node.form).children) sum += lines(*child.node);
  }
  return std::min(sum, span);
}

}  // namespace

Shape shape(const Layout& layout, Count count) {
  Shape result;
  const Placed whole = layout.repeated(count);
  if (!whole.node) return result;
  const Node& node = *whole.node;
  result.size = node.size;
  result.extent = times(count, layout.extent());
  result.true_extent = node.high - node.low;
  result.blocks = node.blocks;
  result.depth = node.depth;
  result.lines = lines(node);

  std::map<Bytes, Count> lengths;
  histogram(node, 1, lengths);
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
