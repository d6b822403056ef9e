// report/printable.cpp: decodes UTF-8, and spells out characters that a terminal would obey.
#include "report/printable.hpp"

#include <cstddef>
#include <cstdio>

namespace heddle::report {
namespace {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: no UTF-8.
};

constexpr bool continues(char byte) noexcept { return (byte & 0xc0) == 0x80; }

/// The first character of a text that is not empty.
Character first_of(std::string_view text) noexcept {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = bytes == 1 ? lead : lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool half = code >= 0xd800 && code < 0xe000;  // of a pair of UTF-16
  if (code < least[bytes] || code > 0x10ffff || half) return {};
  return {code, bytes};
}

constexpr bool obeyed(char32_t code) noexcept {
  const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool turns = code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
                     (code >= 0x2066 && code <= 0x2069);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  return control || turns || ends_line;
}

std::string spelled(char32_t code) {
  char text[16] = "";
  std::snprintf(text, sizeof text, code < 0x100 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(code));
  return text;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const auto [code, bytes] = first_of(text);
    if (bytes == 0)
      shown += spelled(static_cast<unsigned char>(text.front()));
    else if (obeyed(code))
      shown += spelled(code);
    else
      shown += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

}  // namespace heddle::report
