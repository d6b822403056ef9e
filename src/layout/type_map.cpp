// layout/type_map.cpp: walks a type as the standard's constructors define it. It does not use the
// canonical program, so tests compare the two.
#include "layout/type_map.hpp"

#include <algorithm>

namespace heddle::layout {
namespace {

using grammar::Combiner;
using grammar::Type;

/// base + i·stride modulo 2^64. A product may overflow although the sum does not.
Bytes after(Bytes base, Count i, Bytes stride) {
  return static_cast<Bytes>(static_cast<std::uint64_t>(base) +
                            static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(stride));
}

class Listing {
 public:
  Listing(std::vector<Entry>& out, std::size_t limit) : out_(out), limit_(limit) {}

  /// Lists `count` elements of `type`, `stride` apart. False: the limit is reached.
  bool repeat(const Type& type, Bytes at, Count count, Bytes stride) {
    if (type.elements == 0) return true;  // a loop over empty elements could last for ever
    for (Count i = 0; i < count; ++i)
      if (!element(type, after(at, i, stride))) return false;
    return true;
  }

 private:
  bool put(Bytes at, const Scalar& scalar) {
    if (out_.size() >= limit_) return false;
    out_.push_back({at, scalar.size, scalar.name});
    return true;
  }

  bool element(const Type& t, Bytes at) {
    if (t.combiner == Combiner::named)
      return put(at, t.basic->first) && (!t.basic->pair() || put(at + t.basic->second_at(), t.basic->second));
    if (t.combiner == Combiner::structure) return members(t, at);

    const Type& child = *t.children.front();
    const Bytes extent = child.layout.extent();
    switch (t.combiner) {
      case Combiner::contiguous:
        return repeat(child, at, t.numbers[0], extent);
      case Combiner::vector:
        return blocks(child, at, t.numbers[0], t.numbers[1], after(0, t.numbers[2], extent));
      case Combiner::hvector:
        return blocks(child, at, t.numbers[0], t.numbers[1], t.numbers[2]);
      case Combiner::indexed:
        return listed(child, at, t.lists[0], t.lists[1], extent);
      case Combiner::hindexed:
        return listed(child, at, t.lists[0], t.lists[1], 1);
      case Combiner::indexed_block:
        return listed(child, at, t.numbers[0], t.lists[0], extent);
      case Combiner::hindexed_block:
        return listed(child, at, t.numbers[0], t.lists[0], 1);
      case Combiner::subarray:
      case Combiner::darray:
        return dimension(t, at, 0);
      default:
        return element(child, at);  // dup, resized
    }
  }

  bool blocks(const Type& child, Bytes at, Count count, Count length, Bytes stride) {
    for (Count i = 0; i < count; ++i)
      if (!repeat(child, after(at, i, stride), length, child.layout.extent())) return false;
    return true;
  }
  bool listed(const Type& child, Bytes at, const std::vector<Count>& lengths, const std::vector<Count>& displacements,
              Bytes unit) {
    for (std::size_t i = 0; i < lengths.size(); ++i)
      if (lengths[i] && !repeat(child, after(at, displacements[i], unit), lengths[i], child.layout.extent())) return false;
    return true;
  }
  bool listed(const Type& child, Bytes at, Count length, const std::vector<Count>& displacements, Bytes unit) {
    for (const Count displacement : displacements)
      if (!repeat(child, after(at, displacement, unit), length, child.layout.extent())) return false;
    return true;
  }
  bool members(const Type& t, Bytes at) {
    for (std::size_t i = 0; i < t.children.size(); ++i) {
      const Type& child = *t.children[i];
      if (!repeat(child, after(at, t.lists[1][i], 1), t.lists[0][i], child.layout.extent())) return false;
    }
    return true;
  }

  /// Walks the slowest dimension first. Level 0 is dimension 0 in C order, the last dimension in
  /// Fortran order.
  bool dimension(const Type& t, Bytes at, std::size_t level) {
    const std::vector<Count>& sizes = t.lists[0];
    if (level == sizes.size()) return element(*t.children.front(), at);
    const std::size_t d = t.order == Order::c ? level : sizes.size() - 1 - level;
    Bytes stride = t.children.front()->layout.extent();
    for (std::size_t faster = 0; faster < sizes.size(); ++faster)
      if (t.order == Order::c ? faster > d : faster < d) stride = after(0, sizes[faster], stride);

    if (t.combiner == Combiner::subarray) {
      for (Count i = 0; i < t.lists[1][d]; ++i)
        if (!dimension(t, after(at, t.lists[2][d] + i, stride), level + 1)) return false;
      return true;
    }
    const Slice own = slice(t, d);
    for (Count first = own.first; first < sizes[d]; first += own.period) {
      for (Count i = 0; i < std::min(own.length, sizes[d] - first); ++i)
        if (!dimension(t, after(at, first + i, stride), level + 1)) return false;
      if (sizes[d] - first <= own.period) break;
    }
    return true;
  }

  /// Blocks of `length` indices, `period` apart. No number exceeds the size of the dimension.
  struct Slice {
    Count first, length, period;
  };
  static Slice slice(const Type& t, std::size_t d) {
    const Count size = t.lists[0][d], argument = t.lists[1][d], ranks = t.lists[2][d];
    if (t.distributions[d] == Distribution::none || size == 0) return {0, size, size};
    Count coordinate = t.numbers[1];  // the grid is always in C order
    for (std::size_t later = t.lists[2].size() - 1; later > d; --later) coordinate /= t.lists[2][later];
    coordinate %= ranks;
    const Count unit = t.distributions[d] == Distribution::block ? (size - 1) / ranks + 1 : 1;
    const Count length = std::min(argument == default_argument ? unit : argument, size);
    const auto capped = [&](Count factor) { return factor > size / length ? size : std::min(size, factor * length); };
    return {capped(coordinate), length, capped(ranks)};
  }

  std::vector<Entry>& out_;
  std::size_t limit_;
};

}  // namespace

TypeMap type_map(const Type& type, Count count, std::size_t limit) {
  TypeMap map{times(type.elements, count), {}};
  Listing(map.entries, limit).repeat(type, 0, count, type.layout.extent());
  return map;
}

}  // namespace heddle::layout
