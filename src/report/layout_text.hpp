// report/layout_text.hpp: a layout as a report shows it. Lists may have a million numbers, so the
// text is cut, and a hash distinguishes layouts that begin alike.
//
//   described(layout::vector(128, 8, 4096, layout::basic(4)))
//       // {"loop 128 × 16384 B { block 32 }", "9c1f...", 2080800, 0}
#pragma once

#include <string>

#include "layout/layout.hpp"

namespace heddle::report {

struct Described {
  std::string text;  ///< As by layout::describe(), of at most `longest` bytes and "…". Empty: not known.
  std::string hash;  ///< Hexadecimal digits. Equal only for equal bytes, extents and lower bounds.
  layout::Bytes extent = 0;
  layout::Bytes lower_bound = 0;

  static constexpr std::size_t longest = 4096;
};

Described described(const layout::Layout& layout);

/// The first bytes of a text, and "…". It cuts at the end of a character. A text of at most `most`
/// bytes stays.
std::string shortened(std::string text, std::size_t most);

}  // namespace heddle::report
