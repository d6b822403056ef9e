// layout/grammar_write.cpp: writes types as text, and points at a column of a text.
#include <algorithm>
#include <cstdlib>

#include "layout/grammar.hpp"

namespace heddle::layout::grammar {
namespace {

/// The smallest p such that the list repeats its first p items; its size if there is none (Knuth,
/// Morris, Pratt).
std::size_t period(const std::vector<Count>& list) {
  std::vector<std::size_t> border(list.size(), 0);
  for (std::size_t i = 1, k = 0; i < list.size(); ++i) {
    while (k > 0 && list[i] != list[k]) k = border[k - 1];
    if (list[i] == list[k]) ++k;
    border[i] = k;
  }
  const std::size_t p = list.size() - (list.empty() ? 0 : border.back());
  return p != 0 && list.size() % p == 0 ? p : list.size();
}

/// The number of items from `first` on that have equal distances. Unsigned differences cannot
/// overflow.
std::size_t run(const std::vector<Count>& list, std::size_t first) {
  const auto gap = [&list](std::size_t i) {
    return static_cast<std::uint64_t>(list[i]) - static_cast<std::uint64_t>(list[i - 1]);
  };
  std::size_t end = first + 1;
  while (end < list.size() && (end == first + 1 || gap(end) == gap(first + 1))) ++end;
  return end - first;
}

/// Writes repetitions and ranges as [0, 8]*100 and [0:4096:32] where that is shorter.
std::string listed(const std::vector<Count>& all) {
  constexpr std::size_t few = 4;
  constexpr Bytes harmless = Bytes{1} << 61;  // limits ends and steps of ranges to 64 bits
  const std::size_t p = period(all);
  const std::size_t size = p < all.size() && all.size() >= few ? p : all.size();
  const std::vector<Count> numbers(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size();) {
    text += text.size() > 1 ? ", " : "";
    const std::size_t length = run(numbers, i);
    const Count last = numbers[i + length - 1];
    if (length >= few && std::abs(numbers[i]) < harmless && std::abs(last) < harmless && numbers[i] != last) {
      const Count step = numbers[i + 1] - numbers[i];
      text += std::to_string(numbers[i]) + ":" + std::to_string(last + step) + (step == 1 ? "" : ":" + std::to_string(step));
      i += length;
    } else {
      text += std::to_string(numbers[i++]);
    }
  }
  return text + (size < all.size() ? "]*" + std::to_string(all.size() / size) : "]");
}

std::string distributed(const Type& t) {
  std::string text = "[";
  for (std::size_t d = 0; d < t.distributions.size(); ++d) {
    text += d ? ", " : "";
    text += t.distributions[d] == Distribution::block    ? "block"
            : t.distributions[d] == Distribution::cyclic ? "cyclic"
                                                         : "none";
    if (t.lists[1][d] != default_argument) text += "(" + std::to_string(t.lists[1][d]) + ")";
  }
  return text + "]";
}

/// The end of a constructor; it names the order if that is Fortran's.
std::string order(const Type& t) { return t.order == Order::fortran ? ", order=F)" : ")"; }

void write(const Type& t, std::string& text);

std::string child(const Type& t) {
  std::string text;
  write(*t.children.front(), text);
  return text;
}

void write(const Type& t, std::string& text) {
  if (t.combiner == Combiner::named) {
    text += t.basic->name == "2int" ? "int_int" : t.basic->name;  // a name with a digit first would read like a count
    return;
  }
  text += name(t.combiner);
  text += '(';
  if (t.combiner == Combiner::structure) {
    text += listed(t.lists[0]) + ", " + listed(t.lists[1]) + ", [";
    for (std::size_t i = 0; i < t.children.size(); ++i) {
      if (i) text += ", ";
      write(*t.children[i], text);
    }
    text += "])";
    return;
  }
  if (t.combiner == Combiner::resized) {
    text += child(t) + ", " + std::to_string(t.numbers[0]) + ", " + std::to_string(t.numbers[1]) + ")";
    return;
  }
  for (const Count number : t.numbers) text += std::to_string(number) + ", ";
  if (t.combiner == Combiner::darray) {
    text += listed(t.lists[0]) + ", " + distributed(t) + ", " + listed(t.lists[2]) + ", ";
  } else {
    for (const std::vector<Count>& list : t.lists) text += listed(list) + ", ";
  }
  text += child(t) + order(t);
}

}  // namespace

Error::Error(std::size_t column, const std::string& what)
    : std::runtime_error("column " + std::to_string(column) + ": " + what), column_(column) {}

std::string Error::pointed(std::string_view text) const {
  constexpr std::size_t around = 48;
  const std::size_t place = std::min(column_ - 1, text.size());
  const std::size_t from = place > around ? place - around : 0;
  std::string line(text.substr(from, 2 * around));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = ' ';
  }
  return line + "\n" + std::string(place - from, ' ') + "^";
}

std::string to_string(const Type& type) {
  std::string text;
  write(type, text);
  return text;
}

}  // namespace heddle::layout::grammar
