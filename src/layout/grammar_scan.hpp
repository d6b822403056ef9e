// layout/grammar_scan.hpp: reads words, numbers and lists of the grammar, for grammar.cpp.
#pragma once

#include "layout/grammar.hpp"

namespace heddle::layout::grammar {

/// A position in the text. Every failure is an Error with the column where the offending text
/// starts.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  [[noreturn]] static void fail(std::size_t at, const std::string& what) { throw Error(at + 1, what); }

  std::size_t place();           ///< Position of the next character that is no space; at the end, the length of the text.
  char peek();                   ///< That character; '\0' at the end.
  bool accept(char c);           ///< Moves past c, if it is next.
  void expect(char c);           ///< Moves past c, or fails.
  std::string_view peek_word();  ///< Letters, digits and _ from here on.
  std::string_view word();       ///< Reads these and moves past them.
  std::string found();           ///< Text for messages: the next word or character.
  bool at_number();              ///< A digit or a sign is next.

  Count number();  ///< -12, +3, 32*128.
  Count at_least(Count low, std::string_view what);
  std::vector<Count> list(std::string_view what);  ///< [...]; gives each number of ranges and repetitions.

  /// A list, or one number that stands for a list of the length that will be needed.
  struct Listed {
    std::size_t start;
    bool single;
    std::vector<Count> values;
  };
  Listed list_or_number(std::string_view what);
  /// The values of such a list: `size` values (one for each of `of`), each at least `low`.
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
