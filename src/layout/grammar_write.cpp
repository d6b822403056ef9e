// layout/grammar_write.cpp: types back to text, and the picture of a place in it.
#include <algorithm>

#include "layout/grammar.hpp"

namespace heddle::layout::grammar {
namespace {

std::string listed(const std::vector<Count>& numbers) {
  std::string text = "[";
  for (const Count number : numbers) text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
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

/// After the old type, where the order is not the usual one.
std::string order(const Type& t) { return t.order == Order::fortran ? ", order=F)" : ")"; }

void write(const Type& t, std::string& text);

std::string child(const Type& t) {
  std::string text;
  write(*t.children.front(), text);
  return text;
}

void write(const Type& t, std::string& text) {
  if (t.combiner == Combiner::named) {
    text += t.basic->name == "2int" ? "int_int" : t.basic->name;  // a name that starts with a digit reads like a count
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
