// report/printable.hpp: names that the program or a file gave, for a terminal. The terminal shows
// them and does not obey them. heddle.foreign is its like in Python; it also spells out invisible
// characters.
//
//   printable("a\x1b[2Jb")          // "a\\x1b[2Jb"
#pragma once

#include <string>
#include <string_view>

namespace heddle::report {

/// The text in one line of UTF-8. Control characters, line ends, marks that turn the direction of
/// writing, and bytes that are not UTF-8 become `\x1b` or `\u202e`. Throws std::bad_alloc.
std::string printable(std::string_view text);

}  // namespace heddle::report
