// text/nearest.hpp: finds the name that a misspelt word may mean ("did you mean ...?").
// Header-only.
//
//   nearest("vectr", names)   ->  "vector";     nearest("teapot", names)  ->  ""
#pragma once

#include <algorithm>
#include <numeric>
#include <ranges>
#include <string_view>
#include <vector>

namespace heddle::text {

/// The number of edits that turn a into b (insert, delete or replace a character, swap two
/// neighbours): the restricted distance of Damerau 1964.
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> older, before(b.size() + 1), line(b.size() + 1);
  std::iota(before.begin(), before.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    line[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before[j] + (a[i] == b[j] ? 0 : 1);
      line[j + 1] = std::min({replaced, before[j + 1] + 1, line[j] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) line[j + 1] = std::min(line[j + 1], older[j - 1] + 1);
    }
    older = before;
    before = line;
  }
  return before.back();
}

/// The name that `word` misspells. At most a third of the letters after the first `prefix` letters,
/// which all names share, may be wrong. Empty: there is no such name. Long words are not compared.
template <std::ranges::forward_range Names>
std::string_view nearest(std::string_view word, const Names& names, std::size_t prefix = 0) {
  constexpr std::size_t longest = 64;
  if (word.size() > longest) return {};
  std::string_view best;
  std::size_t least = longest;
  for (const std::string_view name : names) {
    const std::size_t own = name.size() - std::min(name.size(), prefix);
    const std::size_t edits = distance(word, name);
    if (edits >= least || edits > std::max<std::size_t>(1, own / 3)) continue;
    least = edits;
    best = name;
  }
  return best;
}

}  // namespace heddle::text
