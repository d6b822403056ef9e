// layout/grammar_scan.hpp: words, numbers and lists of the grammar; the lower half of grammar.cpp.
#pragma once

#include "layout/grammar.hpp"

namespace heddle::layout::grammar {

/// A place in the text. Every failure is an Error at the column where the offending thing starts.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] static void fail(std::size_t at, const std::string& what) { throw Error(at + 1, what); }

  std::size_t place();           ///< Of the next character that is no space; the length of the text at its end.
  char peek();                   ///< The character there; '\0' at the end.
  bool accept(char c);           ///< Moves past c, if it is next.
  void expect(char c);           ///< Moves past c; anything else is an error.
  std::string_view peek_word();  ///< Letters, digits and _ from here on.
  std::string_view word();       ///< The same, and moves past it.
  std::string found();           ///< What is here, for a message.
  bool at_number();              ///< A digit or a sign is next.

  Count number();  ///< -12, +3, 32*128.
  Count at_least(Count low, std::string_view what);
  std::vector<Count> list(std::string_view what);  ///< [...], ranges and repetitions written out.

  /// A list, or one number that stands for as many as will turn out to be needed.
  struct Listed {
    std::size_t start;
    bool single;
    std::vector<Count> values;
  };
  Listed list_or_number(std::string_view what);
  /// The values of such a list, all at least `low`, as many as `of` has.
  std::vector<Count> spread(Listed listed, std::size_t size, std::string_view what, std::string_view of, Count low);

 private:
  void skip();
  Count literal();
  void item(std::vector<Count>& list);
  void charge(std::size_t start, Count numbers);

  std::string_view text_;
  std::size_t at_ = 0;
  Count listed_ = 0;  // numbers in lists so far
};

}  // namespace heddle::layout::grammar
