// layout/grammar.cpp: a recursive-descent parser; every error knows its column.
#include "layout/grammar.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>

#include "text/nearest.hpp"

namespace heddle::layout::grammar {
namespace {

constexpr std::string_view combiner_names[] = {"named",         "dup",            "contiguous", "vector",   "hvector", "indexed", "hindexed",
                                               "indexed_block", "hindexed_block", "struct",     "subarray", "darray",  "resized"};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// MPI_Type_create_subarray -> subarray, MPI_ORDER_FORTRAN -> fortran.
std::string plain(std::string_view word) {
  std::string key(word);
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (const std::string_view prefix : {"mpi_", "type_", "create_", "order_", "distribute_"})
    if (key.starts_with(prefix)) key.erase(0, prefix.size());
  return key;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  TypePtr whole() {
    if (text_.size() > max_text) fail(max_text, "the description is longer than 1 MiB");
    TypePtr result = type();
    skip();
    if (at_ < text_.size()) fail(at_, "expected the end of the description, found " + found());
    return result;
  }

 private:
  // --- Characters and words

  [[noreturn]] static void fail(std::size_t at, const std::string& what) { throw Error(at + 1, what); }

  void skip() {
    while (at_ < text_.size() && space(text_[at_])) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  void expect(char c, std::string_view instead_of) {
    if (!accept(c)) fail(at_, "expected " + std::string(instead_of) + ", found " + found());
  }
  void comma() { expect(',', "','"); }

  /// What stands here, for a message.
  std::string found() {
    skip();
    if (at_ >= text_.size()) return "the end";
    const std::string_view word = peek_word();
    if (!word.empty()) return "'" + std::string(word.substr(0, 40)) + "'";
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20 || byte > 0x7e) return "a character that is not ASCII text";
    return std::string("'") + text_[at_] + "'";
  }
  std::string_view peek_word() {
    skip();
    std::size_t end = at_;
    while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
    return text_.substr(at_, end - at_);
  }

  // --- Numbers and lists

  Count literal() {
    skip();
    const std::size_t start = at_;
    const bool plus_sign = at_ < text_.size() && text_[at_] == '+';
    const char* first = text_.data() + at_ + (plus_sign ? 1 : 0);
    const char* last = text_.data() + text_.size();
    if (plus_sign && first < last && *first == '-') fail(start, "expected a number, found '+-'");
    Count value = 0;
    const auto [end, error] = std::from_chars(first, last, value);
    if (error == std::errc::result_out_of_range) fail(start, "this number does not fit 64 bits");
    if (error != std::errc{}) fail(start, "expected a number, found " + found());
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  Count number() {
    skip();
    const std::size_t start = at_;
    Count value = literal();
    while (accept('*'))
      if (__builtin_mul_overflow(value, literal(), &value)) fail(start, "this product does not fit 64 bits");
    return value;
  }
  Count at_least(Count low, std::string_view what) {
    skip();
    const std::size_t start = at_;
    const Count value = number();
    if (value < low) fail(start, std::string(what) + " must be at least " + std::to_string(low));
    return value;
  }
  Count count(std::string_view what) { return at_least(0, what); }

  void charge(std::size_t start, Count numbers) {
    if (numbers > static_cast<Count>(max_listed) - listed_) fail(start, "more than 1,048,576 numbers in lists; use regular constructors");
    listed_ += numbers;
  }

  void item(std::vector<Count>& list) {
    skip();
    const std::size_t start = at_;
    const Count first = number();
    if (!accept(':')) {
      charge(start, 1);
      list.push_back(first);
      return;
    }
    const Count stop = number();
    Count stride = 1;
    if (accept(':')) {
      skip();
      const std::size_t where = at_;
      stride = number();
      if (stride == 0) fail(where, "a range needs a step that is not 0");
    }
    const __int128 span = stride > 0 ? __int128{stop} - first : __int128{first} - stop;
    const __int128 width = stride > 0 ? __int128{stride} : -__int128{stride};
    if (span <= 0) return;
    const __int128 items = (span + width - 1) / width;
    charge(start, items > __int128{max_listed} ? static_cast<Count>(max_listed) + 1 : static_cast<Count>(items));
    for (__int128 i = 0; i < items; ++i) list.push_back(static_cast<Count>(first + i * stride));
  }

  std::vector<Count> list(std::string_view what) {
    skip();
    const std::size_t start = at_;
    std::vector<Count> result;
    expect('[', what);
    if (!accept(']')) {
      do item(result);
      while (accept(','));
      expect(']', "',' or ']'");
    }
    while (accept('*')) {
      const Count repeats = count("a repetition of a list");
      const auto size = static_cast<Count>(result.size());
      if (repeats == 0) result.clear();
      if (size == 0 || repeats < 2) continue;
      charge(start, repeats > static_cast<Count>(max_listed) ? repeats : size * (repeats - 1));
      result.reserve(static_cast<std::size_t>(size * repeats));
      for (Count i = size; i < size * repeats; ++i) result.push_back(result[static_cast<std::size_t>(i - size)]);
    }
    return result;
  }

  /// A list, or one number that stands for as many as will turn out to be needed.
  struct Listed {
    std::size_t start;
    bool single;
    std::vector<Count> values;
  };
  Listed list_or_number(std::string_view what) {
    const bool single = peek() != '[' && at_ < text_.size() && (digit(text_[at_]) || text_[at_] == '-' || text_[at_] == '+');
    const std::size_t start = at_;
    return {start, single, single ? std::vector<Count>{number()} : list(what)};
  }
  std::vector<Count> spread(Listed listed, std::size_t size, std::string_view what, std::string_view of, Count low) {
    if (listed.single) {
      charge(listed.start, static_cast<Count>(size));
      listed.values.assign(size, listed.values[0]);
    }
    if (listed.values.size() != size)
      fail(listed.start, std::to_string(listed.values.size()) + " " + std::string(what) + " for " + std::to_string(size) + " " + std::string(of));
    for (const Count value : listed.values)
      if (value < low) fail(listed.start, std::string(what) + " must be at least " + std::to_string(low));
    return std::move(listed.values);
  }

  // --- Types

  TypePtr type() {
    skip();
    const std::size_t start = at_;
    const std::string_view word = peek_word();
    if (word.empty()) fail(start, "expected a type, found " + found());
    const std::string key = plain(word);
    const auto combiner = std::ranges::find(combiner_names, key);
    if (combiner != std::end(combiner_names) && key != "named") {
      at_ += word.size();
      if (++depth_ > max_depth) fail(start, "types nested deeper than 64");
      TypePtr result = constructed(static_cast<Combiner>(combiner - std::begin(combiner_names)), start);
      --depth_;
      return result;
    }
    const BasicType* basic = find_basic(word);
    if (!basic) unknown(start, word, key);
    at_ += word.size();
    return finish(start, Type{.combiner = Combiner::named, .basic = basic, .numbers = {}, .lists = {}, .distributions = {}, .children = {}, .layout = {}});
  }

  [[noreturn]] static void unknown(std::size_t start, std::string_view word, std::string_view key) {
    std::vector<std::string_view> names(std::begin(combiner_names) + 1, std::end(combiner_names));
    for (const BasicType& basic : basic_types()) names.push_back(basic.name);
    const std::string_view near = text::nearest(key, names);
    fail(start, (digit(word[0]) ? "expected a type, found '" : "no type is called '") + std::string(word.substr(0, 40)) + "'" +
                    (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
  }

  TypePtr constructed(Combiner combiner, std::size_t start) {
    Type t{.combiner = combiner, .numbers = {}, .lists = {}, .distributions = {}, .children = {}, .layout = {}};
    expect('(', "'('");
    switch (combiner) {
      case Combiner::contiguous:
        t.numbers = {count("a count")};
        comma();
        break;
      case Combiner::vector:
      case Combiner::hvector: {
        const Count blocks = count("a count");
        comma();
        const Count length = count("a block length");
        comma();
        t.numbers = {blocks, length, number()};
        comma();
        break;
      }
      case Combiner::indexed:
      case Combiner::hindexed: {
        Listed lengths = list_or_number("a list of block lengths");
        comma();
        std::vector<Count> displacements = list("a list of displacements");
        comma();
        t.lists.push_back(spread(std::move(lengths), displacements.size(), "block lengths", "displacements", 0));
        t.lists.push_back(std::move(displacements));
        break;
      }
      case Combiner::indexed_block:
      case Combiner::hindexed_block:
        t.numbers = {count("a block length")};
        comma();
        t.lists = {list("a list of displacements")};
        comma();
        break;
      case Combiner::subarray:
        box(t);
        break;
      case Combiner::darray:
        distributed(t);
        break;
      case Combiner::structure:
        structure_members(t);
        return finish(start, std::move(t));
      default:
        break;
    }
    t.children = {type()};
    if (combiner == Combiner::resized) {
      comma();
      const Count lower_bound = number();
      comma();
      t.numbers = {lower_bound, number()};
    }
    if ((combiner == Combiner::subarray || combiner == Combiner::darray) && accept(',')) t.order = order();
    expect(')', "')'");
    return finish(start, std::move(t));
  }

  void box(Type& t) {
    std::vector<Count> sizes = list("a list of sizes");
    for (const Count size : sizes)
      if (size < 1) fail(at_ - 1, "sizes must be at least 1");
    comma();
    Listed subsizes = list_or_number("a list of subsizes");
    comma();
    Listed starts = list_or_number("a list of starts");
    comma();
    const std::size_t place = starts.start;
    t.lists.push_back(sizes);
    t.lists.push_back(spread(std::move(subsizes), sizes.size(), "subsizes", "sizes", 0));
    t.lists.push_back(spread(std::move(starts), sizes.size(), "starts", "sizes", 0));
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (t.lists[2][d] > sizes[d] - t.lists[1][d])
        fail(place, "the box leaves the array in dimension " + std::to_string(d) + ": start " + std::to_string(t.lists[2][d]) +
                        " + subsize " + std::to_string(t.lists[1][d]) + " > size " + std::to_string(sizes[d]));
  }

  void distributed(Type& t) {
    const Count ranks = at_least(1, "the number of ranks");
    comma();
    skip();
    const std::size_t place = at_;
    const Count rank = count("the rank");
    if (rank >= ranks) fail(place, "rank " + std::to_string(rank) + " of " + std::to_string(ranks) + " ranks does not exist");
    comma();
    t.numbers = {ranks, rank};
    const std::size_t sizes_at = (skip(), at_);
    std::vector<Count> sizes = spread({sizes_at, false, list("a list of sizes")}, t_size_, "sizes", "", 1);
  }

  static constexpr std::size_t t_size_ = 0;

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Count listed_ = 0;
};

}  // namespace
}  // namespace heddle::layout::grammar
