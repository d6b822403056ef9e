// text/nearest.hpp: "did you mean ...?" Header-only, includes nothing of Heddle, may be included by everyone.
//
//   nearest("vectr", names)   ->  "vector";     nearest("teapot", names)  ->  ""
#pragma once

#include <algorithm>
#include <numeric>
#include <ranges>
#include <string_view>
#include <vector>

namespace heddle::text {

/// Edits (insert, delete, replace a character, swap two neighbours) that turn a into b: the restricted distance of Damerau
/// 1964.
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

/// The name that `word` is a slip of: at most a third of the letters after `prefix` (those that all names share) are wrong.
/// Empty if there is none. Long words are no slip of anything, and are not compared.
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
