// layout/layout.cpp: MPI's datatype constructors. Bounds follow MPI-5.0 §5.1.7; rewrite.hpp makes
// the programs.
#include "layout/layout.hpp"

#include <algorithm>
#include <unordered_map>

#include "layout/rewrite.hpp"

namespace heddle::layout {

Layout::Layout(Placed root, Bytes lower_bound, Bytes extent, Bytes alignment, Marks marks)
    : root_(std::move(root)), lower_bound_(lower_bound), extent_(extent), alignment_(alignment), marks_(marks) {}

Placed Layout::repeated(Count count) const { return rewrite::loop(count, extent_, root_); }

bool same_bytes(const Layout& a, const Layout& b) {
  return a.size() == b.size() && (a.size() == 0 || a.root().offset == b.root().offset) && same(a.root().node, b.root().node);
}

namespace {

void check_count(Count count, const char* what) {
  if (count < 0) throw std::invalid_argument(std::string(what) + " must not be negative");
}

void check_lengths(std::size_t lengths, std::size_t displacements) {
  if (lengths != displacements) throw std::invalid_argument("as many block lengths as displacements are needed");
}

/// Collects the bounds of a type that consists of placed copies of other types.
class Bounds {
 public:
  /// Adds `length` copies of `old`, one extent apart, from `displacement` on. Zero copies change
  /// nothing.
  void add(Count length, Bytes displacement, const Layout& old) {
    if (length == 0) return;
    const Bytes last = times(length - 1, old.extent());
    lower(plus(displacement, plus(old.lower_bound(), std::min<Bytes>(0, last))), old.marks().lower);
    upper(plus(displacement, plus(old.upper_bound(), std::max<Bytes>(0, last))), old.marks().upper);
    alignment_ = std::max(alignment_, old.alignment());
  }
  [[nodiscard]] Layout close(Placed root) const {
    return {std::move(root), low_, high_ - low_, alignment_, {low_marked_, high_marked_}};
  }
  /// Rounds the extent up to the alignment of the members, unless a resized member sets the upper
  /// bound.
  [[nodiscard]] Layout close_aligned(Placed root) const {
    Bytes extent = high_ - low_;
    if (!high_marked_ && extent % alignment_ != 0) extent += alignment_ - (extent % alignment_ + alignment_) % alignment_;
    return {std::move(root), low_, extent, alignment_, {low_marked_, high_marked_}};
  }

 private:
  void lower(Bytes bound, bool marked) {
    if (!any_low_ || (marked && !low_marked_) || (marked == low_marked_ && bound < low_)) low_ = bound;
    any_low_ = true;
    low_marked_ |= marked;
  }
  void upper(Bytes bound, bool marked) {
    if (!any_high_ || (marked && !high_marked_) || (marked == high_marked_ && bound > high_)) high_ = bound;
    any_high_ = true;
    high_marked_ |= marked;
  }

  Bytes low_ = 0;
  Bytes high_ = 0;
  Bytes alignment_ = 1;
  bool any_low_ = false, any_high_ = false, low_marked_ = false, high_marked_ = false;
};

Placed run(Count length, const Layout& old) { return rewrite::loop(length, old.extent(), old.root()); }

std::vector<Bytes> in_bytes(std::span<const Count> displacements, Bytes extent) {
  std::vector<Bytes> bytes;
  bytes.reserve(displacements.size());
  for (const Count d : displacements) bytes.push_back(times(d, extent));
  return bytes;
}

}  // namespace

Layout basic(Bytes size, Bytes alignment) {
  check_count(size, "the size of a basic type");
  constexpr Bytes strictest = 16;
  if (alignment == 0) alignment = size == 0 ? 1 : std::min(size & -size, strictest);
  return {rewrite::block(size), 0, size, alignment};
}

Layout contiguous(Count count, const Layout& old) {
  check_count(count, "count");
  Bounds bounds;
  bounds.add(count, 0, old);
  return bounds.close(run(count, old));
}

Layout vector(Count count, Count blocklength, Count stride, const Layout& old) {
  return hvector(count, blocklength, times(stride, old.extent()), old);
}

Layout hvector(Count count, Count blocklength, Bytes stride, const Layout& old) {
  check_count(count, "count");
  check_count(blocklength, "blocklength");
  Bounds bounds;
  if (count > 0) {  // the extremes are at the ends
    bounds.add(blocklength, 0, old);
    bounds.add(blocklength, times(count - 1, stride), old);
  }
  return bounds.close(rewrite::loop(count, stride, run(blocklength, old)));
}

Layout indexed(std::span<const Count> blocklengths, std::span<const Count> displacements, const Layout& old) {
  return hindexed(blocklengths, in_bytes(displacements, old.extent()), old);
}

Layout hindexed(std::span<const Count> blocklengths, std::span<const Bytes> displacements, const Layout& old) {
  check_lengths(blocklengths.size(), displacements.size());
  Bounds bounds;
  for (std::size_t i = 0; i < blocklengths.size(); ++i) {
    check_count(blocklengths[i], "blocklength");
    bounds.add(blocklengths[i], displacements[i], old);
  }
  if (!old.node()) return bounds.close({});
  if (old.dense()) {
    std::vector<Bytes> lengths = in_bytes(blocklengths, old.size());
    Placed list = rewrite::pieces({displacements.begin(), displacements.end()}, lengths);
    list.offset = plus(list.offset, old.root().offset);
    return bounds.close(std::move(list));
  }
  std::unordered_map<Count, Placed> runs;  // one node for all blocks of a length
  std::vector<Placed> children;
  children.reserve(blocklengths.size());
  for (std::size_t i = 0; i < blocklengths.size(); ++i) {
    auto [entry, fresh] = runs.try_emplace(blocklengths[i]);
    if (fresh) entry->second = run(blocklengths[i], old);
    children.push_back({plus(displacements[i], entry->second.offset), entry->second.node});
  }
  return bounds.close(rewrite::sequence(children));
}

Layout indexed_block(Count blocklength, std::span<const Count> displacements, const Layout& old) {
  return hindexed_block(blocklength, in_bytes(displacements, old.extent()), old);
}

Layout hindexed_block(Count blocklength, std::span<const Bytes> displacements, const Layout& old) {
  check_count(blocklength, "blocklength");
  Bounds bounds;
  for (const Bytes displacement : displacements) bounds.add(blocklength, displacement, old);
  return bounds.close(rewrite::at_each({displacements.begin(), displacements.end()}, run(blocklength, old)));
}

Layout structure(std::span<const Count> blocklengths, std::span<const Bytes> displacements, std::span<const Layout> olds) {
  std::vector<const Layout*> members;
  members.reserve(olds.size());
  for (const Layout& old : olds) members.push_back(&old);
  return structure(blocklengths, displacements, members);
}

Layout structure(std::span<const Count> blocklengths, std::span<const Bytes> displacements,
                 std::span<const Layout* const> olds) {
  check_lengths(blocklengths.size(), displacements.size());
  check_lengths(olds.size(), displacements.size());
  Bounds bounds;
  bool all_dense = true;
  for (std::size_t i = 0; i < olds.size(); ++i) {
    check_count(blocklengths[i], "blocklength");
    bounds.add(blocklengths[i], displacements[i], *olds[i]);
    all_dense &= olds[i]->dense();
  }
  if (all_dense) {  // true of most structs: a list of pieces needs no node for each
    std::vector<Bytes> offsets;
    std::vector<Bytes> lengths;
    offsets.reserve(olds.size());
    lengths.reserve(olds.size());
    for (std::size_t i = 0; i < olds.size(); ++i) {
      offsets.push_back(plus(displacements[i], olds[i]->root().offset));
      lengths.push_back(times(blocklengths[i], olds[i]->size()));
    }
    return bounds.close_aligned(rewrite::pieces(offsets, lengths));
  }
  std::vector<Placed> children;
  children.reserve(olds.size());
  for (std::size_t i = 0; i < olds.size(); ++i) {
    Placed child = run(blocklengths[i], *olds[i]);
    child.offset = plus(child.offset, displacements[i]);
    children.push_back(std::move(child));
  }
  return bounds.close_aligned(rewrite::sequence(children));
}

Layout resized(const Layout& old, Bytes lower_bound, Bytes extent) {
  return {old.root(), lower_bound, extent, old.alignment(), {true, true}};
}

}  // namespace heddle::layout
