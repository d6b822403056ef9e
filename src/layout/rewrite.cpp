// layout/rewrite.cpp: makes canonical nodes. docs/layout.md lists the rules, and
// tests/layout/canonical_test.cpp tests them.
#include "layout/rewrite.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

namespace heddle::layout::rewrite {
namespace {

std::size_t index(Count i) { return static_cast<std::size_t>(i); }

void check_depth(const ProgramNode& node) {
  if (node.depth > max_depth) throw std::overflow_error("layout: more than " + std::to_string(max_depth) + " levels");
}

NodePtr make_block(Bytes length) {
  ProgramNode node;
  node.size = length;
  node.blocks = 1;
  node.high = length;
  return std::make_shared<const ProgramNode>(std::move(node));
}

NodePtr make_loop(Count count, Bytes stride, const NodePtr& child) {
  ProgramNode node;
  const Bytes last = times(count - 1, stride);
  node.size = times(count, child->size);
  node.blocks = times(count, child->blocks);
  node.low = plus(child->low, std::min<Bytes>(0, last));
  node.high = plus(child->high, std::max<Bytes>(0, last));
  node.depth = child->depth + 1;
  check_depth(node);
  node.form = Loop{count, stride, child};
  return std::make_shared<const ProgramNode>(std::move(node));
}

NodePtr make_block_indexed(const std::vector<Bytes>& offsets, const NodePtr& child) {
  ProgramNode node;
  const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
  const auto n = static_cast<Count>(offsets.size());
  node.size = times(n, child->size);
  node.blocks = times(n, child->blocks);
  node.low = plus(*low, child->low);
  node.high = plus(*high, child->high);
  node.depth = child->depth + 1;
  check_depth(node);
  node.form = BlockIndexed{Integers(offsets), child};
  return std::make_shared<const ProgramNode>(std::move(node));
}

/// Offsets of the equal units of which the pieces consist. Empty unless copying units is faster.
std::vector<Bytes> units_of(const std::vector<Bytes>& offsets, const std::vector<Bytes>& lengths, Bytes size, Bytes& unit) {
  constexpr Bytes longest = 64;       // the kernels know blocks up to this length
  constexpr Count units_a_piece = 4;  // a piece of any length costs as much as about four units
  unit = 0;
  for (const Bytes length : lengths) unit = std::gcd(unit, length);
  if (unit > longest || size / unit > units_a_piece * static_cast<Count>(lengths.size())) return {};
  std::vector<Bytes> units;
  units.reserve(index(size / unit));
  for (std::size_t i = 0; i < offsets.size(); ++i)
    for (Bytes into = 0; into < lengths[i]; into += unit) units.push_back(offsets[i] + into);
  return units;
}

NodePtr make_indexed(const std::vector<Bytes>& offsets, const std::vector<Bytes>& lengths) {
  ProgramNode node;
  std::vector<Bytes> packed_at;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (i % Indexed::milestone == 0) packed_at.push_back(node.size);
    node.size = plus(node.size, lengths[i]);
    node.low = std::min(node.low, offsets[i]);
    node.high = std::max(node.high, plus(offsets[i], lengths[i]));
  }
  node.blocks = static_cast<Count>(offsets.size());
  Bytes unit = 0;
  Integers units(units_of(offsets, lengths, node.size, unit));
  node.form = Indexed{Integers(offsets), Integers(lengths), std::move(packed_at), unit, std::move(units)};
  return std::make_shared<const ProgramNode>(std::move(node));
}

NodePtr make_struct(std::vector<Placed> children) {
  ProgramNode node;
  std::vector<Bytes> packed_at;
  for (const Placed& child : children) {
    packed_at.push_back(node.size);
    node.size = plus(node.size, child.node->size);
    node.blocks = plus(node.blocks, child.node->blocks);
    node.low = std::min(node.low, plus(child.offset, child.node->low));
    node.high = std::max(node.high, plus(child.offset, child.node->high));
    node.depth = std::max(node.depth, child.node->depth + 1);
  }
  check_depth(node);
  node.form = Struct{std::move(children), std::move(packed_at)};
  return std::make_shared<const ProgramNode>(std::move(node));
}

/// The smallest divisor p of n such that every item i + p equals item i, shifted; n if there is
/// none. `equal(i, j)`: items i and j (>= 1) have the same kind and the same distance to the item
/// before. Takes linear time, by the failure function of Knuth, Morris and Pratt over items 1 ...
/// n-1.
template <class Equal>
Count period(Count n, const Equal& equal, const auto& first_alike) {
  const Count m = n - 1;  // number of distances between items
  std::vector<Count> border(index(m), 0);
  for (Count i = 1, k = 0; i < m; ++i) {
    while (k > 0 && !equal(i + 1, k + 1)) k = border[index(k - 1)];
    if (equal(i + 1, k + 1)) ++k;
    border[index(i)] = k;
  }
  if (m == 0) return n;
  for (Count k = border[index(m - 1)];; k = border[index(k - 1)]) {
    const Count p = m - k;
    if (p <= n / 2 && n % p == 0 && first_alike(p)) return p;
    if (k == 0) return n;
  }
}

/// Displacements beyond this are refused, so that differences of two of them cannot overflow.
constexpr Bytes farthest = Bytes{1} << 61;

void check_reach(const Bytes offset) {
  if (offset > farthest || offset < -farthest) throw std::overflow_error("layout: displacement beyond 2^61 bytes");
}

std::vector<Bytes> from_zero(std::vector<Bytes> offsets) {
  const Bytes first = offsets.front();
  for (Bytes& offset : offsets) offset = plus(offset, -first);
  return offsets;
}

/// Places one node at each offset. Neighbours have been merged already.
Placed fold(std::vector<Bytes> offsets, const Placed& child) {
  const auto n = static_cast<Count>(offsets.size());
  const Bytes origin = plus(offsets.front(), child.offset);
  if (n == 1) return {origin, child.node};

  // 1. Find the first run of constant stride. In the common case it is the whole list: a vector.
  const Bytes step = offsets[1] - offsets[0];
  Count run = 2;
  while (run < n && offsets[index(run)] - offsets[index(run - 1)] == step) ++run;
  if (run == n) {
    const Placed whole = loop(n, step, {0, child.node});
    return {plus(origin, whole.offset), whole.node};
  }

  // 2. All runs are alike: rows of a 2-D or 3-D box. The starts of the rows are a shorter list of
  // the same kind.
  const auto rows_alike = [&] {
    if (n % run != 0) return false;
    for (Count i = run; i < n; ++i) {
      if (i % run != 0 && offsets[index(i)] - offsets[index(i - 1)] != step) return false;
    }
    return true;
  };
  if (rows_alike()) {
    std::vector<Bytes> starts;
    for (Count i = 0; i < n; i += run) starts.push_back(offsets[index(i)]);
    Placed row = loop(run, step, {0, child.node});
    row.offset = plus(row.offset, child.offset);
    return fold(std::move(starts), row);
  }

  // 3. Some pattern repeats.
  const auto gap = [&](Count i) { return offsets[index(i)] - offsets[index(i - 1)]; };
  const Count p = period(
      n, [&](Count i, Count j) { return gap(i) == gap(j); }, [](Count) { return true; });
  if (p < n) {
    const Bytes shift = offsets[index(p)] - offsets[0];
    offsets.resize(index(p));
    return loop(n / p, shift, fold(std::move(offsets), child));
  }
  return {origin, make_block_indexed(from_zero(std::move(offsets)), child.node)};
}

/// Lists are inlined and written out up to this length, or 16 times the number of children. Longer
/// ones, irregular lists of lists of lists, stay nested: otherwise a few lines of text could
/// describe more pieces than memory holds.
constexpr Count most_written = 1 << 18;

/// True for pieces, lists of pieces and small loops of them. These are worth writing out next to
/// other pieces.
bool flat(const ProgramNode& node) {
  if (node.contiguous() || std::holds_alternative<Indexed>(node.form)) return true;
  if (const auto* list = std::get_if<BlockIndexed>(&node.form)) return list->child->contiguous();
  constexpr Count small = 16;
  const auto* run = std::get_if<Loop>(&node.form);
  return run && run->child->contiguous() && run->count <= small;
}

void write_out(const ProgramNode& node, Bytes base, std::vector<Bytes>& offsets, std::vector<Bytes>& lengths) {
  const auto piece = [&](Bytes offset, Bytes length) {
    offsets.push_back(plus(base, offset));
    lengths.push_back(length);
  };
  if (node.contiguous()) piece(0, node.size);
  if (const auto* list = std::get_if<Indexed>(&node.form)) {
    for (Count i = 0; i < list->offsets.size(); ++i) piece(list->offsets[i], list->lengths[i]);
  }
  if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
    for (Count i = 0; i < list->offsets.size(); ++i) piece(list->offsets[i], list->child->size);
  }
  if (const auto* run = std::get_if<Loop>(&node.form)) {
    for (Count i = 0; i < run->count; ++i) piece(i * run->stride, run->child->size);
  }
}

/// Joins a and b in one node, if b continues a; otherwise nothing.
std::optional<Placed> join(const Placed& a, const Placed& b) {
  const Bytes distance = b.offset - a.offset;
  if (a.node->contiguous() && b.node->contiguous()) {
    if (distance == a.node->size) return Placed{a.offset, make_block(plus(a.node->size, b.node->size))};
    return std::nullopt;
  }
  const auto* first = std::get_if<Loop>(&a.node->form);
  const auto* second = std::get_if<Loop>(&b.node->form);
  if (first && distance == times(first->count, first->stride)) {
    if (same(first->child, b.node)) return Placed{a.offset, make_loop(first->count + 1, first->stride, first->child)};
    if (second && second->stride == first->stride && same(first->child, second->child)) {
      return Placed{a.offset, make_loop(first->count + second->count, first->stride, first->child)};
    }
  }
  if (second && distance == second->stride && same(a.node, second->child)) {
    return Placed{a.offset, make_loop(second->count + 1, second->stride, second->child)};
  }
  return std::nullopt;
}

}  // namespace

Placed block(Bytes length) { return length == 0 ? Placed{} : Placed{0, make_block(length)}; }

Placed loop(Count count, Bytes stride, const Placed& child) {
  if (count == 0 || !child.node) return {};
  if (count == 1) return child;
  if (child.node->contiguous() && stride == child.node->size) return {child.offset, make_block(times(count, stride))};
  if (const auto* inner = std::get_if<Loop>(&child.node->form); inner && stride == times(inner->count, inner->stride)) {
    return {child.offset, make_loop(times(count, inner->count), inner->stride, inner->child)};
  }
  return {child.offset, make_loop(count, stride, child.node)};
}

Placed at_each(std::vector<Bytes> offsets, const Placed& child) {
  if (offsets.empty() || !child.node) return {};
  for (const Bytes offset : offsets) check_reach(offset);
  if (child.node->contiguous()) {
    Placed list = pieces(offsets, std::vector<Bytes>(offsets.size(), child.node->size));
    list.offset = plus(list.offset, child.offset);
    return list;
  }
  return fold(std::move(offsets), child);
}

Placed pieces(const std::vector<Bytes>& offsets, const std::vector<Bytes>& lengths) {
  // 1. Drop empty pieces, and merge pieces that touch.
  std::vector<Bytes> at;
  std::vector<Bytes> length;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (lengths[i] == 0) continue;
    check_reach(offsets[i]);
    if (!at.empty() && plus(at.back(), length.back()) == offsets[i]) {
      length.back() = plus(length.back(), lengths[i]);
    } else {
      at.push_back(offsets[i]);
      length.push_back(lengths[i]);
    }
  }
  if (at.empty()) return {};

  // 2. All lengths are equal: a list of blocks.
  if (std::all_of(length.begin(), length.end(), [&](Bytes l) { return l == length.front(); })) {
    return fold(std::move(at), block(length.front()));
  }

  // 3. A pattern repeats (the fields of a struct, written out for each element).
  const auto n = static_cast<Count>(at.size());
  const auto alike = [&](Count i, Count j) {
    return length[index(i)] == length[index(j)] && at[index(i)] - at[index(i - 1)] == at[index(j)] - at[index(j - 1)];
  };
  const Count p = period(n, alike, [&](Count first) { return length[index(first)] == length[0]; });
  if (p < n) {
    const Bytes shift = at[index(p)] - at[0];
    at.resize(index(p));
    length.resize(index(p));
    return loop(n / p, shift, pieces(at, length));
  }
  const Bytes origin = at.front();
  return {origin, make_indexed(from_zero(std::move(at)), length)};
}

Placed sequence(const std::vector<Placed>& children) {
  const auto fits = [most = std::max(most_written, 16 * static_cast<Count>(children.size()))](Count n) { return n <= most; };
  Count inlined = 0;
  for (const Placed& child : children) {
    const auto* inner = child.node ? std::get_if<Struct>(&child.node->form) : nullptr;
    inlined += inner ? static_cast<Count>(inner->children.size()) : 1;
  }

  // 1. Inline nested sequences, drop empty children, and join neighbours.
  std::vector<Placed> list;
  const auto append = [&list](Placed child) {
    // A joined child may join with the next neighbour, too.
    for (std::optional<Placed> joined; !list.empty() && (joined = join(list.back(), child)); list.pop_back()) child = *joined;
    list.push_back(std::move(child));
  };
  for (const Placed& child : children) {
    if (!child.node) continue;
    check_reach(child.offset);
    if (const auto* inner = std::get_if<Struct>(&child.node->form); inner && fits(inlined)) {
      for (const Placed& grandchild : inner->children) append({plus(child.offset, grandchild.offset), grandchild.node});
    } else {
      append(child);
    }
  }
  if (list.empty()) return {};
  if (list.size() == 1) return list.front();

  // 2. All children are equal: make one list of displacements.
  if (std::all_of(list.begin(), list.end(), [&](const Placed& child) { return same(child.node, list.front().node); })) {
    std::vector<Bytes> offsets;
    offsets.reserve(list.size());
    for (const Placed& child : list) offsets.push_back(child.offset);
    return at_each(std::move(offsets), {0, list.front().node});
  }

  // 3. All children are pieces: make one flat list.
  Count written = 0;
  const auto writable = [&](const Placed& child) { return flat(*child.node) && fits(written += child.node->blocks); };
  if (std::all_of(list.begin(), list.end(), writable)) {
    std::vector<Bytes> offsets;
    std::vector<Bytes> lengths;
    for (const Placed& child : list) write_out(*child.node, child.offset, offsets, lengths);
    return pieces(offsets, lengths);
  }

  // 4. A pattern repeats.
  const auto n = static_cast<Count>(list.size());
  const auto alike = [&](Count i, Count j) {
    return same(list[index(i)].node, list[index(j)].node) &&
           list[index(i)].offset - list[index(i - 1)].offset == list[index(j)].offset - list[index(j - 1)].offset;
  };
  const Count p = period(n, alike, [&](Count first) { return same(list[index(first)].node, list[0].node); });
  if (p < n) {
    const Bytes shift = list[index(p)].offset - list[0].offset;
    list.resize(index(p));
    return loop(n / p, shift, sequence(list));
  }

  const Bytes origin = list.front().offset;
  for (Placed& child : list) child.offset = plus(child.offset, -origin);
  return {origin, make_struct(std::move(list))};
}

}  // namespace heddle::layout::rewrite
