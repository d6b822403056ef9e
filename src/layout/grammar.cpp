// layout/grammar.cpp: a recursive-descent parser over grammar_scan.hpp. It makes the layout of each
// constructor at once, so that an error names the place of the constructor that refuses its
// arguments.
#include "layout/grammar.hpp"

#include <algorithm>
#include <limits>

#include "layout/grammar_scan.hpp"
#include "text/nearest.hpp"

namespace heddle::layout::grammar {
namespace {

constexpr std::string_view combiner_names[] = {"named",    "dup",      "contiguous",    "vector",         "hvector",
                                               "indexed",  "hindexed", "indexed_block", "hindexed_block", "struct",
                                               "subarray", "darray",   "resized"};

/// Larger bounds are a mistake. The sum of two smaller bounds cannot overflow.
constexpr Bytes farthest = Bytes{1} << 61;

/// MPI_Type_create_subarray -> subarray, MPI_ORDER_FORTRAN -> fortran, MPI_DISTRIBUTE_BLOCK ->
/// block.
std::string plain(std::string_view word) {
  std::string key(word);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const std::string_view prefix : {"mpi_", "type_", "create_", "order_", "distribute_"}) {
    if (key.starts_with(prefix)) key.erase(0, prefix.size());
  }
  return key;
}

class Parser : Scanner {
 public:
  using Scanner::Scanner;

  TypePtr whole() {
    TypePtr result = type();
    if (peek() != '\0' || found() != "the end") fail(place(), "expected the end of the description, found " + found());
    return result;
  }

 private:
  TypePtr type() {
    const std::size_t start = place();
    const std::string_view name = peek_word();
    if (name.empty()) fail(start, "expected a type, found " + found());
    const std::string key = plain(name);
    const auto* combiner = std::ranges::find(combiner_names, key);
    if (combiner != std::end(combiner_names) && combiner != std::begin(combiner_names)) {
      word();
      if (++depth_ > max_depth) fail(start, "types nested deeper than " + std::to_string(max_depth));
      TypePtr result = constructed(static_cast<Combiner>(combiner - std::begin(combiner_names)), start);
      --depth_;
      return result;
    }
    const BasicType* basic = find_basic(name);
    if (!basic) unknown(start, name, key);
    word();
    Type t;
    t.basic = basic;
    return finish(start, std::move(t));
  }

  [[noreturn]] static void unknown(std::size_t start, std::string_view name, std::string_view key) {
    std::vector<std::string_view> names(std::begin(combiner_names) + 1, std::end(combiner_names));
    for (const BasicType& basic : basic_types()) names.push_back(basic.name);
    const std::string_view near = text::nearest(key, names);
    fail(start, "expected a type, found '" + std::string(name.substr(0, 40)) + "'" +
                    (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
  }

  TypePtr constructed(Combiner combiner, std::size_t start) {
    Type t;
    t.combiner = combiner;
    expect('(');
    if (combiner == Combiner::structure) {
      if (at_struct_lists()) {
        struct_lists(t);
      } else {
        struct_members(t);
      }
      return finish(start, std::move(t));
    }
    arguments(t);
    t.children = {type()};
    if (combiner == Combiner::resized) {
      expect(',');
      const std::size_t where = place();
      const Bytes lower_bound = number();
      expect(',');
      t.numbers = {lower_bound, number()};
      for (const Bytes bound : t.numbers) {
        if (bound > farthest || bound < -farthest) fail(where, "bounds beyond 2^61 bytes");
      }
    }
    if ((combiner == Combiner::subarray || combiner == Combiner::darray) && accept(',')) t.order = order();
    expect(')');
    return finish(start, std::move(t));
  }

  /// Reads the arguments before the old type, and the comma after them.
  void arguments(Type& t) {
    switch (t.combiner) {
      case Combiner::contiguous:
        t.numbers = {at_least(0, "the count")};
        break;
      case Combiner::vector:
      case Combiner::hvector: {
        const Count count = at_least(0, "the count");
        expect(',');
        const Count length = at_least(0, "the block length");
        expect(',');
        t.numbers = {count, length, number()};
        break;
      }
      case Combiner::indexed:
      case Combiner::hindexed: {
        Listed lengths = list_or_number("a list of block lengths");
        expect(',');
        std::vector<Count> displacements = list("a list of displacements");
        t.lists = {spread(std::move(lengths), displacements.size(), "block lengths", "displacements", 0), {}};
        t.lists[1] = std::move(displacements);
        break;
      }
      case Combiner::indexed_block:
      case Combiner::hindexed_block:
        t.numbers = {at_least(0, "the block length")};
        expect(',');
        t.lists = {list("a list of displacements")};
        break;
      case Combiner::subarray:
        box(t);
        break;
      case Combiner::darray:
        distributed(t);
        break;
      default:  // dup, resized: the type comes first
        return;
    }
    if (peek() == ')') fail(place(), "the type of the elements is missing, such as ', int'");
    expect(',');
  }

  std::vector<Count> array_sizes() {
    const std::size_t start = place();
    std::vector<Count> sizes = list("a list of sizes");
    if (sizes.empty()) fail(start, "an array needs at least one dimension");
    if (sizes.size() > max_dimensions) fail(start, "an array of more than " + std::to_string(max_dimensions) + " dimensions");
    for (const Count size : sizes) {
      if (size < 1) fail(start, "sizes must be at least 1");
    }
    return sizes;
  }

  void box(Type& t) {
    const std::vector<Count> sizes = array_sizes();
    const std::size_t n = sizes.size();
    expect(',');
    std::vector<Count> subsizes = spread(list_or_number("a list of subsizes"), n, "subsizes", "sizes", 0);
    expect(',');
    const std::size_t where = place();
    std::vector<Count> starts = spread(list_or_number("a list of starts"), n, "starts", "sizes", 0);
    for (std::size_t d = 0; d < n; ++d) {
      if (subsizes[d] <= sizes[d] && starts[d] <= sizes[d] - subsizes[d]) continue;
      fail(where, "the box leaves the array in dimension " + std::to_string(d) + ": start " + std::to_string(starts[d]) +
                      ", subsize " + std::to_string(subsizes[d]) + ", size " + std::to_string(sizes[d]));
    }
    t.lists = {sizes, std::move(subsizes), std::move(starts)};
  }

  void distributed(Type& t) {
    const Count ranks = at_least(1, "the number of ranks");
    expect(',');
    const std::size_t where = place();
    const Count rank = at_least(0, "the rank");
    if (rank >= ranks) fail(where, "there is no rank " + std::to_string(rank) + " among " + std::to_string(ranks));
    expect(',');
    t.numbers = {ranks, rank};
    const std::vector<Count> sizes = array_sizes();
    expect(',');
    std::vector<Count> owned;  // the distributions' arguments
    const std::size_t start = place();
    expect('[');
    do {
      distribution(t, owned);
    } while (accept(','));
    expect(']');
    if (owned.size() != sizes.size()) {
      fail(start, std::to_string(owned.size()) + " distributions for " + std::to_string(sizes.size()) + " sizes");
    }
    expect(',');
    std::vector<Count> grid = spread(list_or_number("the process grid, a list"), sizes.size(), "grid sizes", "sizes", 1);
    t.lists = {sizes, std::move(owned), std::move(grid)};
  }

  void distribution(Type& t, std::vector<Count>& owned) {
    const std::size_t where = place();
    const std::string key = plain(peek_word());
    if (key != "block" && key != "cyclic" && key != "none") fail(where, "expected block, cyclic or none, found " + found());
    word();
    t.distributions.push_back(key == "block"    ? Distribution::block
                              : key == "cyclic" ? Distribution::cyclic
                                                : Distribution::none);
    Count argument = default_argument;
    if (accept('(')) {
      argument = at_least(1, "a distribution's argument");
      expect(')');
    }
    if (owned.size() == max_dimensions) fail(where, "more than " + std::to_string(max_dimensions) + " distributions");
    owned.push_back(argument);
  }

  Order order() {
    const std::size_t where = place();
    std::string key = plain(word());
    if (key == "order" && accept('=')) key = plain(word());
    if (key == "c") return Order::c;
    if (key == "f" || key == "fortran") return Order::fortran;
    fail(where, "expected order=C or order=F");
  }

  // --- struct([1, 2], [0, 8], [int, double]) or struct(int, 2 double @ 8)

  bool at_struct_lists() {
    if (peek() == '[') return true;
    if (!at_number()) return false;
    Scanner ahead = static_cast<const Scanner&>(*this);  // a number is the length of all members, or the count of the first
    ahead.number();
    return ahead.peek() == ',';
  }

  void struct_lists(Type& t) {
    Listed lengths = list_or_number("a list of block lengths");
    expect(',');
    std::vector<Bytes> displacements = list("a list of displacements");
    expect(',');
    const std::size_t start = place();
    if (!accept('[')) fail(start, "expected a list of types such as [int, double], found " + found());
    if (!accept(']')) {
      do {
        t.children.push_back(type());
      } while (accept(','));
      if (!accept(']')) fail(place(), "expected ',' or ']', found " + found());
    }
    if (displacements.size() != t.children.size()) {
      fail(start, std::to_string(t.children.size()) + " types for " + std::to_string(displacements.size()) + " displacements");
    }
    t.lists = {spread(std::move(lengths), displacements.size(), "block lengths", "displacements", 0), {}};
    t.lists[1] = std::move(displacements);
    expect(')');
  }

  void struct_members(Type& t) {
    t.lists.resize(2);
    Bytes end = 0;  // end of the member before
    if (accept(')')) return;
    do {
      const std::size_t where = place();
      const Count length = at_number() ? at_least(0, "the count of a member") : 1;
      const TypePtr member = type();
      const Bytes alignment = member->layout.alignment();
      Bytes at = 0;
      if (accept('@')) {
        at = number();
      } else if (__builtin_add_overflow(end, alignment - 1, &at)) {
        fail(where, "this member lies beyond 64 bits");
      } else {
        at -= (at % alignment + alignment) % alignment;
      }
      if (__builtin_mul_overflow(length, member->layout.extent(), &end) || __builtin_add_overflow(end, at, &end)) {
        fail(where, "this member ends beyond 64 bits");
      }
      t.lists[0].push_back(length);
      t.lists[1].push_back(at);
      t.children.push_back(member);
    } while (accept(','));
    if (!accept(')')) fail(place(), "expected ',', '@' or ')', found " + found());
  }

  // --- The layout of a type

  static TypePtr finish(std::size_t start, Type t) {
    const std::string_view what = name(t.combiner);
    try {
      t.layout = laid_out(t);
      t.elements = elements(t);
    } catch (const Error&) {
      throw;
    } catch (const std::exception& refusal) {  // invalid_argument, overflow_error
      fail(start, std::string(what) + ": " + refusal.what());
    }
    const Layout& l = t.layout;
    for (const Bytes bound : {l.lower_bound(), l.extent(), l.true_lower_bound(), l.true_extent()}) {
      if (bound > farthest || bound < -farthest) fail(start, std::string(what) + ": bounds beyond 2^61 bytes");
    }
    return std::make_shared<const Type>(std::move(t));
  }

  static Layout laid_out(const Type& t) {
    const auto old = [&t]() -> const Layout& { return t.children.front()->layout; };
    switch (t.combiner) {
      case Combiner::named:
        return layout_of(*t.basic);
      case Combiner::dup:
        return old();
      case Combiner::contiguous:
        return contiguous(t.numbers[0], old());
      case Combiner::vector:
        return vector(t.numbers[0], t.numbers[1], t.numbers[2], old());
      case Combiner::hvector:
        return hvector(t.numbers[0], t.numbers[1], t.numbers[2], old());
      case Combiner::indexed:
        return indexed(t.lists[0], t.lists[1], old());
      case Combiner::hindexed:
        return hindexed(t.lists[0], t.lists[1], old());
      case Combiner::indexed_block:
        return indexed_block(t.numbers[0], t.lists[0], old());
      case Combiner::hindexed_block:
        return hindexed_block(t.numbers[0], t.lists[0], old());
      case Combiner::structure: {
        std::vector<Layout> olds;
        olds.reserve(t.children.size());
        for (const TypePtr& child : t.children) olds.push_back(child->layout);
        return structure(t.lists[0], t.lists[1], olds);
      }
      case Combiner::subarray:
        return subarray(t.lists[0], t.lists[1], t.lists[2], t.order, old());
      case Combiner::darray:
        return darray(t.numbers[0], t.numbers[1], t.lists[0], t.distributions, t.lists[1], t.lists[2], t.order, old());
      case Combiner::resized:
        return resized(old(), t.numbers[0], t.numbers[1]);
    }
    throw std::invalid_argument("unknown combiner");
  }

  /// The number of basic values in an element. For a type with one child, it grows from child to
  /// parent by the same factor as the layout's size.
  static Count elements(const Type& t) {
    if (t.combiner == Combiner::named) return t.basic->pair() ? 2 : 1;
    if (t.combiner == Combiner::structure) {
      Count sum = 0;
      for (std::size_t i = 0; i < t.children.size(); ++i) sum = plus(sum, times(t.lists[0][i], t.children[i]->elements));
      return sum;
    }
    const Type& child = *t.children.front();
    return child.elements == 0 ? 0 : times(t.layout.size() / child.layout.size(), child.elements);
  }

  static constexpr std::size_t max_dimensions = 64;
  int depth_ = 0;
};

}  // namespace

std::string_view name(Combiner combiner) { return combiner_names[static_cast<std::size_t>(combiner)]; }

TypePtr parse(std::string_view text) {
  if (text.size() > max_text) throw Error(max_text + 1, "the description is longer than 1 MiB");
  return Parser(text).whole();
}

}  // namespace heddle::layout::grammar
