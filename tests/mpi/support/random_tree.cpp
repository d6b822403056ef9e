#include "support/random_tree.hpp"

#include <algorithm>

namespace heddle::test {
namespace {

using layout::Bytes;
using layout::Count;

constexpr const char* leaves[] = {
    "char",       "int",      "double",    "short",           "double_complex", "float",    "long_double", "2int", "short_int",
    "double_int", "long_int", "float_int", "long_double_int", "c_bool",         "uint16_t", "byte",        "wchar"};

struct Tree {
  std::string text;
  Bytes extent, low, high;  // true bounds
  Count elements;
};

class Grower {
 public:
  Grower(Chooser& choose, const Limits& limits) : choose_(choose), limits_(limits) {}

  Tree grow(int depth, Count budget) {
    const Count form = depth == 0 ? 0 : choose_.upto(12);
    if (form == 0) return measured(leaves[choose_.upto(std::size(leaves) - 1)]);
    if (form == 8) return structure(depth, budget);
    const Count share = std::max<Count>(1, budget / 4);
    const Tree old = grow(depth - 1, form >= 11 ? budget : share);
    Tree grown = measured(over(form, old, budget));
    if (grown.elements == 0 && choose_.upto(2)) grown = measured(call("resized", grown.text, text(0), text(grown.extent)));
    // A tree that is too large is not taken.
    const bool fits = grown.elements <= limits_.elements && grown.high - grown.low <= limits_.reach &&
                      std::abs(grown.extent) <= limits_.reach && std::abs(grown.low) <= limits_.reach;
    return fits ? grown : old;
  }

 private:
  static Tree measured(const std::string& text) {
    const layout::grammar::TypePtr type = layout::grammar::parse(text);
    const layout::Layout& l = type->layout;
    return {text, l.extent(), l.true_lower_bound(), l.true_lower_bound() + l.true_extent(), type->elements};
  }

  static std::string text(Count n) { return std::to_string(n); }
  template <class... Parts>
  static std::string call(const char* name, const Parts&... parts) {
    std::string all = name;
    const char* between = "(";
    ((all += between + std::string(parts), between = ", "), ...);
    return all + ")";
  }

  std::string over(Count form, const Tree& old, Count budget) {
    const Count most = std::clamp<Count>(budget / std::max<Count>(1, old.elements), 1, 6);
    switch (form) {
      case 1:
        return call("contiguous", text(choose_.some(most)), old.text);
      case 2:
        return call("vector", text(choose_.some(most)), text(choose_.some(3)), text(stride()), old.text);
      case 3:
        return call("hvector", text(choose_.some(most)), text(choose_.some(3)), text(stride() * old.extent + odd()), old.text);
      case 4:
        return lists("indexed", old, most, true, 1, false);
      case 5:
        return lists("hindexed", old, most, true, old.extent, true);
      case 6:
        return lists("indexed_block", old, most, false, 1, false);
      case 7:
        return lists("hindexed_block", old, most, false, old.extent, true);
      case 9:
        return subarray(old);
      case 10:
        return darray(old);
      case 11: {
        const Count sort = choose_.upto(4);  // larger, exact, smaller, shifted, backwards
        const Bytes reach = old.high - old.low;
        const Bytes lower = sort == 3 ? odd() : old.low;
        const Bytes extent = sort == 0   ? reach + choose_.upto(16)
                             : sort == 1 ? reach
                             : sort == 2 ? choose_.upto(std::max<Bytes>(1, reach))
                             : sort == 3 ? reach + choose_.between(0, 40)
                                         : -reach - choose_.upto(8);
        return call("resized", old.text, text(lower), text(extent));
      }
      default:
        return call("dup", old.text);
    }
  }

  Count stride() { return choose_.rarely(3) ? choose_.between(-4, 0) : choose_.between(1, 6); }
  /// Unaligned places now and then.
  Bytes odd() { return choose_.rarely(3) ? choose_.between(-9, 9) : 0; }

  /// Displacements: ascending with gaps, ascending without, descending, or anywhere.
  std::vector<Count> places(std::size_t n, Bytes unit, bool bytes) {
    const Count sort = choose_.upto(3);
    std::vector<Count> places;
    Count at = choose_.rarely(4) ? -3 : 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Count step = sort == 1 ? 3 : choose_.between(1, 6);
      at = sort == 2 ? at - step : sort == 3 ? choose_.between(-6, 20) : at + step;
      places.push_back(at * unit + (bytes ? odd() : 0));
    }
    return places;
  }
  static std::string list(const std::vector<Count>& numbers) {
    std::string all = "[";
    for (const Count n : numbers) all += (all.size() > 1 ? ", " : "") + text(n);
    return all + "]";
  }

  std::string lists(const char* name, const Tree& old, Count most, bool lengths_too, Bytes unit, bool bytes) {
    const auto n = static_cast<std::size_t>(choose_.some(most));
    std::vector<Count> lengths;
    const bool same = !choose_.rarely(2);
    const Count length = choose_.some(3);
    for (std::size_t i = 0; i < n; ++i) lengths.push_back(same ? length : choose_.some(3));
    const std::string where = list(places(n, unit, bytes));
    return lengths_too ? call(name, list(lengths), where, old.text) : call(name, text(length), where, old.text);
  }

  Tree structure(int depth, Count budget) {
    const Count members = choose_.between(1, 4);
    const Count kinds = choose_.between(1, 2);
    std::vector<Tree> olds;
    for (Count k = 0; k < kinds; ++k) olds.push_back(grow(depth - 1, std::max<Count>(1, budget / (2 * members))));
    const bool ascending = !choose_.rarely(3);
    Bytes at = choose_.rarely(4) ? -16 : 0;
    Count elements = 0;
    std::string all = "struct(";
    for (Count i = 0; i < members; ++i) {
      const Tree& old = olds[static_cast<std::size_t>(choose_.upto(kinds - 1))];
      const Count length = choose_.some(3);
      elements += length * old.elements;
      if (elements > limits_.elements || std::abs(at) > limits_.reach / 4 || old.high - old.low > limits_.reach / 8) return old;
      const Bytes place = ascending ? at - std::min<Bytes>(0, old.low) : choose_.between(-40, 200);
      all += (i ? ", " : "") + text(length) + " " + old.text + " @ " + text(place);
      at = place + (length ? (length - 1) * std::abs(old.extent) + std::max<Bytes>(0, old.high) : 0) + choose_.upto(9);
    }
    Tree grown = measured(all + ")");
    // Libraries round the extent of some structs differently. Half of the structs get a fixed
    // extent, as in careful programs.
    if (choose_.upto(1)) grown = measured(call("resized", grown.text, text(std::min(grown.low, at)), text(grown.extent)));
    return grown.high - grown.low <= limits_.reach ? grown : olds.front();
  }

  std::string subarray(const Tree& old) {
    std::vector<Count> sizes, subsizes, starts;
    const Count dimensions = choose_.between(1, 4);
    for (Count d = 0; d < dimensions; ++d) {
      sizes.push_back(choose_.between(1, dimensions > 2 ? 4 : 7));
      subsizes.push_back(choose_.between(1, sizes.back()));
      starts.push_back(choose_.upto(sizes.back() - subsizes.back()));
    }
    return call("subarray", list(sizes), list(subsizes), list(starts), old.text,
                std::string(choose_.upto(1) ? "order=F" : "order=C"));
  }

  std::string darray(const Tree& old) {
    std::vector<Count> sizes, grid;
    std::string distributions = "[";
    Count ranks = 1;
    const Count dimensions = choose_.between(1, 3);
    for (Count d = 0; d < dimensions; ++d) {
      const Count size = choose_.between(1, 8);
      Count places = choose_.between(1, 3);
      std::string how;
      switch (choose_.upto(4)) {
        case 0:
          how = "none";
          places = 1;
          break;
        case 1:
          how = "block";
          break;
        case 2:
          how = "block(" + text(choose_.between((size + places - 1) / places, size)) + ")";
          break;
        case 3:
          how = "cyclic";
          break;
        default:
          how = "cyclic(" + text(choose_.between(1, 3)) + ")";
      }
      distributions += (d ? ", " : "") + how;
      sizes.push_back(size);
      grid.push_back(places);
      ranks *= places;
    }
    return call("darray", text(ranks), text(choose_.upto(ranks - 1)), list(sizes), distributions + "]", list(grid), old.text,
                std::string(choose_.upto(1) ? "order=F" : "order=C"));
  }

  Chooser& choose_;
  const Limits& limits_;
};

}  // namespace

std::string random_tree(Chooser& choose, const Limits& limits) {
  const int depth = static_cast<int>(choose.between(1, limits.depth));
  return Grower(choose, limits).grow(depth, 600).text;
}

}  // namespace heddle::test
