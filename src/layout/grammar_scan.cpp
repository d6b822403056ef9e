// layout/grammar_scan.cpp: reads words, numbers and lists. All arithmetic is checked, and all
// lengths are limited before use.
#include "layout/grammar_scan.hpp"

#include <charconv>

namespace heddle::layout::grammar {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

void Scanner::skip() {
  while (at_ < text_.size() && space(text_[at_])) ++at_;
}

std::size_t Scanner::place() {
  skip();
  return at_;
}

char Scanner::peek() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Scanner::accept(char c) {
  if (place() >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void Scanner::expect(char c) {
  if (!accept(c)) fail(at_, std::string("expected '") + c + "', found " + found());
}

std::string_view Scanner::peek_word() {
  std::size_t end = place();
  while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
  return text_.substr(at_, end - at_);
}

std::string_view Scanner::word() {
  const std::string_view result = peek_word();
  at_ += result.size();
  return result;
}

std::string Scanner::found() {
  if (place() >= text_.size()) return "the end";
  const std::string_view word = peek_word();
  if (!word.empty()) return "'" + std::string(word.substr(0, 40)) + "'";
  const auto byte = static_cast<unsigned char>(text_[at_]);
  if (byte < 0x20 || byte > 0x7e) return "a character that is not plain text";
  return std::string("'") + text_[at_] + "'";
}

bool Scanner::at_number() {
  const char c = peek();
  return digit(c) || c == '-' || c == '+';
}

Count Scanner::literal() {
  const std::size_t start = place();
  const std::size_t digits = start + (peek() == '+' ? 1 : 0);
  if (digits != start && (digits == text_.size() || !digit(text_[digits]))) fail(start, "expected a number, found '+'");
  Count value = 0;
  const auto [end, error] = std::from_chars(text_.data() + digits, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) fail(start, "this number does not fit 64 bits");
  if (error != std::errc{}) fail(start, "expected a number, found " + found());
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

Count Scanner::number() {
  const std::size_t start = place();
  Count value = literal();
  while (accept('*')) {
    if (__builtin_mul_overflow(value, literal(), &value)) fail(start, "this product does not fit 64 bits");
  }
  return value;
}

Count Scanner::at_least(Count low, std::string_view what) {
  const std::size_t start = place();
  const Count value = number();
  if (value < low) fail(start, std::string(what) + " must be at least " + std::to_string(low));
  return value;
}

void Scanner::charge(std::size_t start, Count numbers) {
  if (numbers > static_cast<Count>(max_listed) - listed_) fail(start, "more than 1048576 numbers in lists");
  listed_ += numbers;
}

void Scanner::item(std::vector<Count>& list) {
  const std::size_t start = place();
  const Count first = number();
  if (!accept(':')) {
    charge(start, 1);
    list.push_back(first);
    return;
  }
  const Count stop = number();
  Count stride = 1;
  if (accept(':')) {
    const std::size_t where = place();
    stride = number();
    if (stride == 0) fail(where, "a range needs a step that is not 0");
  }
  // Unsigned arithmetic holds the difference of any two 64-bit numbers.
  if (stride > 0 ? first >= stop : first <= stop) return;
  const auto magnitude = [](Count high, Count low) {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  };
  const std::uint64_t span = stride > 0 ? magnitude(stop, first) : magnitude(first, stop);
  const std::uint64_t step = stride > 0 ? magnitude(stride, 0) : magnitude(0, stride);
  const std::uint64_t items = (span - 1) / step + 1;
  charge(start, items > max_listed ? static_cast<Count>(max_listed) + 1 : static_cast<Count>(items));
  Count value = first;
  for (std::uint64_t i = 0; i < items; ++i) {
    list.push_back(value);
    if (i + 1 < items) value += stride;
  }
}

std::vector<Count> Scanner::list(std::string_view what) {
  const std::size_t start = place();
  std::vector<Count> result;
  if (!accept('[')) fail(start, "expected " + std::string(what) + " such as [0, 4, 8], found " + found());
  if (!accept(']')) {
    do {
      item(result);
    } while (accept(','));
    if (!accept(']')) fail(at_, "expected ',' or ']', found " + found());
  }
  while (accept('*')) {
    const Count repeats = at_least(0, "a repetition");
    if (repeats == 0) result.clear();
    if (result.empty() || repeats < 2) continue;
    const std::size_t once = result.size();
    if (repeats > static_cast<Count>(max_listed)) charge(start, repeats);
    charge(start, static_cast<Count>(once) * (repeats - 1));
    const std::size_t total = once * static_cast<std::size_t>(repeats);
    result.reserve(total);
    for (std::size_t i = once; i < total; ++i) result.push_back(result[i - once]);
  }
  return result;
}

Scanner::Listed Scanner::list_or_number(std::string_view what) {
  const std::size_t start = place();
  if (at_number()) return {start, true, {number()}};
  return {start, false, list(what)};
}

std::vector<Count> Scanner::spread(Listed listed, std::size_t size, std::string_view what, std::string_view of, Count low) {
  if (listed.single) {
    charge(listed.start, static_cast<Count>(size));
    listed.values.assign(size, listed.values[0]);
  }
  if (listed.values.size() != size) {
    fail(listed.start, std::to_string(listed.values.size()) + " " + std::string(what) + " for " + std::to_string(size) + " " +
                           std::string(of));
  }
  for (const Count value : listed.values) {
    if (value < low) fail(listed.start, std::string(what) + " must be at least " + std::to_string(low));
  }
  return std::move(listed.values);
}

}  // namespace heddle::layout::grammar
