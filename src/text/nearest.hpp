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

/// Edits (insert, delete, replace one character) that turn a into b: Levenshtein 1966. O(|a|·|b|).
inline std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> line(b.size() + 1);
  std::iota(line.begin(), line.end(), std::size_t{0});
  for (const char c : a) {
    std::size_t diagonal = line[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t keep = diagonal + (c == b[j] ? 0 : 1);
      diagonal = line[j + 1];
      line[j + 1] = std::min({keep, line[j] + 1, diagonal + 1});
    }
  }
  return line.back();
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
